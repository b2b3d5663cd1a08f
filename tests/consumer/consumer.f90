! The Fortran module of an installed eigen_g.
program consumer
  use, intrinsic :: iso_c_binding
  use eigen_g
  implicit none
  real(c_double) :: a(2, 2), w(2)
  integer(eigen_g_size) :: info
  a = reshape([2d0, 1d0, 1d0, 2d0], [2, 2])
  info = eigen_g_syevd('V', 'L', 2_eigen_g_size, a, 2_eigen_g_size, w)
  print '(a, 2f6.3)', eigen_g_version(), w
  if (info /= 0 .or. any(abs(w - [1d0, 3d0]) > 1d-14)) error stop 1
end program

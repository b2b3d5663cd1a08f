! [fortran]
program first_solve
  use, intrinsic :: iso_c_binding
  use eigen_g
  implicit none
  integer(eigen_g_size), parameter :: n = 3
  real(c_double), target :: a(n, n), z(n, n), w(n)
  complex(c_double_complex) :: h(2, 2)
  type(eigen_g_options) :: options
  type(eigen_g_result) :: result
  integer(eigen_g_size) :: info

  a = reshape([2d0, -1d0, 0d0, -1d0, 2d0, -1d0, 0d0, -1d0, 2d0], [3, 3])
  z = a                                            ! the matrix goes in, the vectors come back
  info = eigen_g_syevd('V', 'L', n, z, n, w)       ! one name for four types
  if (info /= 0) error stop 1
  print '(3f10.6)', w                              ! 2 - sqrt(2), 2, 2 + sqrt(2)
  if (maxval(abs(matmul(a, z) - z * spread(w, 1, 3))) > 1d-14) error stop 2

  h = reshape([(1d0, 0d0), (0d0, 1d0), (0d0, -1d0), (1d0, 0d0)], [2, 2])
  info = eigen_g_syevd('N', 'L', 2_eigen_g_size, h, 2_eigen_g_size, w)
  if (info /= 0 .or. any(abs(w(1:2) - [0d0, 2d0]) > 1d-14)) error stop 3

  call eigen_g_default_options(options)            ! with options, in double
  options%range = 'I'
  options%il = 3
  options%iu = 3
  options%path = eigen_g_word("one_stage")
  info = eigen_g_dsolve(n, c_loc(a), n, c_loc(w), c_loc(z), n, 0, c_null_ptr, options, result)
  if (info /= 0) error stop 4
  print '(a, i0, a, f10.6)', 'pair ', result%first_index, ': ', w(1)
  if (result%m /= 1 .or. abs(w(1) - 2 - sqrt(2d0)) > 1d-14) error stop 5

  info = eigen_g_syevd('V', 'X', n, z, n, w)       ! a wrong argument
  if (info /= -2) error stop 6
  print '(a)', eigen_g_info_text(info)
end program
! [end]

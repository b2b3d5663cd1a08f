! The stages from Fortran: both sides and adjoints of ormtr, orgtr, and stedc with the vectors of A. The device forms are called with null
! pointers, which they refuse.
program fortran_stages
  use, intrinsic :: iso_c_binding
  use eigen_g
  implicit none
  integer(eigen_g_size), parameter :: n = 40
  real(c_double) :: a(n, n), q(n, n), z(n, n), d(n), e(n), tau(n)
  complex(c_double_complex) :: h(n, n), v(n, n), y(n, n), tau_h(n)
  integer :: i, j

  do j = 1, n
    do i = j, n
      a(i, j) = sin(1d0 + 13 * i + 7 * j)
      a(j, i) = a(i, j)
      h(i, j) = cmplx(a(i, j), merge(0d0, cos(2d0 * i - 5 * j), i == j), c_double_complex)
      h(j, i) = conjg(h(i, j))
    end do
  end do

  q = a
  call succeed(eigen_g_sytrd('L', n, q, n, d, e, tau))
  z = a
  call succeed(eigen_g_ormtr('R', 'L', 'N', n, n, q, n, tau, z, n))  ! A Q
  call succeed(eigen_g_ormtr('L', 'L', 'T', n, n, q, n, tau, z, n))  ! Q^T A Q = T
  do j = 1, n
    z(j, j) = z(j, j) - d(j)
    if (j < n) z(j + 1, j) = z(j + 1, j) - e(j)
    if (j < n) z(j, j + 1) = z(j, j + 1) - e(j)
  end do
  if (maxval(abs(z)) > 1d-12) error stop 2
  call succeed(eigen_g_orgtr('L', n, q, n, tau))
  call succeed(eigen_g_stedc('V', n, d, e, q, n))
  if (maxval(abs(matmul(a, q) - q * spread(d, 1, int(n)))) > 1d-12) error stop 3
  if (abs(sum(q(:, 1)**2) - 1) > 1d-13) error stop 4

  v = h
  call succeed(eigen_g_sytrd('U', n, v, n, d, e, tau_h))
  call succeed(eigen_g_stedc('I', n, d, e, y, n))
  call succeed(eigen_g_ormtr('L', 'U', 'N', n, n, v, n, tau_h, y, n))
  if (maxval(abs(matmul(h, y) - y * spread(d, 1, int(n)))) > 1d-12) error stop 5
  if (abs(sum(abs(y(:, 1))**2) - 1) > 1d-13) error stop 6
  call succeed(eigen_g_orgtr('U', n, v, n, tau_h))
  if (maxval(abs(matmul(conjg(transpose(v)), v) - eye())) > 1d-13) error stop 7

  call fail(eigen_g_dsytrd_device('L', n, c_null_ptr, n, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr))
  call fail(eigen_g_zstedc_device('V', n, c_null_ptr, c_null_ptr, c_null_ptr, n, c_null_ptr))
  call fail(eigen_g_cunmtr_device('R', 'U', 'C', n, n, c_null_ptr, n, c_null_ptr, c_null_ptr, n, c_null_ptr))
  call fail(eigen_g_sorgtr_device('L', n, c_null_ptr, n, c_null_ptr, c_null_ptr))
  call fail(eigen_g_dormtr_sb2st_device(n, n, 32_eigen_g_size, c_null_ptr, c_null_ptr, n, c_null_ptr))

contains

  subroutine succeed(info_of_call)
    integer(eigen_g_size), intent(in) :: info_of_call
    if (info_of_call == 0) return
    print '(a)', eigen_g_info_text(info_of_call)
    error stop 1
  end subroutine

  subroutine fail(info_of_call)
    integer(eigen_g_size), intent(in) :: info_of_call
    if (info_of_call >= 0) error stop 8
  end subroutine

  function eye()
    real(c_double) :: eye(n, n)
    integer :: k
    eye = 0
    do k = 1, n
      eye(k, k) = 1
    end do
  end function
end program

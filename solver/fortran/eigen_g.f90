! The module eigen_g: the C entries of the library from Fortran, with LAPACK's arguments and 64-bit sizes. The comments in eigen_g.h,
! generalised.h, batched.h and stages.h hold here too. Every function returns info; eigen_g_info_text() returns its text.
!
!   host pointers      eigen_g_syevd, _syevdx, _sygvd, _sygvdx, _sygvdx_factored, _syevd_batched, _sygvd_batched: one name for all four
!                      types. A complex matrix is Hermitian
!   device pointers    eigen_g_dsyevd_device, _ssyevd_device, _zheevd_device, ..., also of each stage: arrays are type(c_ptr) to device
!                      memory, and the stream is a type(c_ptr), c_null_ptr for the default one
!   options, reports   eigen_g_options, eigen_g_result, eigen_g_dsolve and the solver object, in double
!   pieces             eigen_g_shard, eigen_g_dsolve_shards, _ssolve_shards, _zsolve_shards, _csolve_shards
!   stages             eigen_g_sytrd, eigen_g_stedc, eigen_g_ormtr, eigen_g_orgtr: one name for all four types;
!                      eigen_g_dsytrd_sy2sb and the other stages of the two-stage reduction, in double
module eigen_g
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: eigen_g_size = c_int64_t

  ! Call eigen_g_default_options() first, then change members. Words are set by eigen_g_word("two_stage").
  type, bind(c), public :: eigen_g_options
    integer(c_size_t) :: size = 0
    character(kind=c_char) :: jobz = 'V', uplo = 'L', range = 'A', device = 'A'
    real(c_double) :: vl = 0, vu = 0
    integer(c_int64_t) :: il = 1, iu = 0
    type(c_ptr) :: path = c_null_ptr, engine = c_null_ptr, ratio = c_null_ptr
    integer(c_int) :: gpus = 1, threads = 0, multiprocessors = 0
    type(c_ptr) :: precision = c_null_ptr
    integer(c_int64_t) :: memory_limit = 0
  end type

  type, bind(c), public :: eigen_g_result
    integer(c_int64_t) :: m = 0, first_index = 1
    real(c_double) :: seconds = 0
  end type

  ! A piece of a matrix in the memory of a GPU.
  type, bind(c), public :: eigen_g_shard
    type(c_ptr) :: data_dev = c_null_ptr
    integer(c_int64_t) :: ld = 0, columns = 0
    type(c_ptr) :: stream = c_null_ptr
  end type

  type, bind(c), public :: eigen_g_batch_result
    integer(c_int64_t) :: failed = 0, first_failed = 0, m = 0
    real(c_double) :: seconds = 0
  end type

  public :: eigen_g_syevd
  interface eigen_g_syevd
    function eigen_g_dsyevd( &
        jobz, uplo, n, a, lda, w) &
        bind(c, name="eigen_g_dsyevd") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevd( &
        jobz, uplo, n, a, lda, w) &
        bind(c, name="eigen_g_ssyevd") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevd( &
        jobz, uplo, n, a, lda, w) &
        bind(c, name="eigen_g_zheevd") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda
      complex(c_double_complex), intent(inout) :: a(lda, *)
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevd( &
        jobz, uplo, n, a, lda, w) &
        bind(c, name="eigen_g_cheevd") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda
      complex(c_float_complex), intent(inout) :: a(lda, *)
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_syevdx
  interface eigen_g_syevdx
    function eigen_g_dsyevdx( &
        jobz, range, uplo, n, a, lda, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_dsyevdx") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu
      real(c_double), value :: vl, vu
      real(c_double), intent(inout) :: a(lda, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevdx( &
        jobz, range, uplo, n, a, lda, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_ssyevdx") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu
      real(c_float), value :: vl, vu
      real(c_float), intent(inout) :: a(lda, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevdx( &
        jobz, range, uplo, n, a, lda, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_zheevdx") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu
      real(c_double), value :: vl, vu
      complex(c_double_complex), intent(inout) :: a(lda, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevdx( &
        jobz, range, uplo, n, a, lda, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_cheevdx") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu
      real(c_float), value :: vl, vu
      complex(c_float_complex), intent(inout) :: a(lda, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_sygvd
  interface eigen_g_sygvd
    function eigen_g_dsygvd( &
        itype, jobz, uplo, n, a, lda, b, ldb, w) &
        bind(c, name="eigen_g_dsygvd") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(inout) :: b(ldb, *)
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvd( &
        itype, jobz, uplo, n, a, lda, b, ldb, w) &
        bind(c, name="eigen_g_ssygvd") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(inout) :: b(ldb, *)
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvd( &
        itype, jobz, uplo, n, a, lda, b, ldb, w) &
        bind(c, name="eigen_g_zhegvd") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb
      complex(c_double_complex), intent(inout) :: a(lda, *)
      complex(c_double_complex), intent(inout) :: b(ldb, *)
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvd( &
        itype, jobz, uplo, n, a, lda, b, ldb, w) &
        bind(c, name="eigen_g_chegvd") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb
      complex(c_float_complex), intent(inout) :: a(lda, *)
      complex(c_float_complex), intent(inout) :: b(ldb, *)
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_sygvdx
  interface eigen_g_sygvdx
    function eigen_g_dsygvdx( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_dsygvdx") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_double), value :: vl, vu
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvdx( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_ssygvdx") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_float), value :: vl, vu
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvdx( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_zhegvdx") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_double), value :: vl, vu
      complex(c_double_complex), intent(inout) :: a(lda, *)
      complex(c_double_complex), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvdx( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_chegvdx") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_float), value :: vl, vu
      complex(c_float_complex), intent(inout) :: a(lda, *)
      complex(c_float_complex), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_sygvdx_factored
  interface eigen_g_sygvdx_factored
    function eigen_g_dsygvdx_factored( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_dsygvdx_factored") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_double), value :: vl, vu
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvdx_factored( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_ssygvdx_factored") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_float), value :: vl, vu
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvdx_factored( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_zhegvdx_factored") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_double), value :: vl, vu
      complex(c_double_complex), intent(inout) :: a(lda, *)
      complex(c_double_complex), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_double), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvdx_factored( &
        itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w) &
        bind(c, name="eigen_g_chegvdx_factored") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu
      real(c_float), value :: vl, vu
      complex(c_float_complex), intent(inout) :: a(lda, *)
      complex(c_float_complex), intent(inout) :: b(ldb, *)
      integer(c_int64_t), intent(out) :: m
      real(c_float), intent(out) :: w(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_syevd_batched
  interface eigen_g_syevd_batched
    function eigen_g_dsyevd_batched( &
        jobz, uplo, n, a, lda, stride_a, w, stride_w, status, count) &
        bind(c, name="eigen_g_dsyevd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, count
      real(c_double), intent(inout) :: a(*)
      real(c_double), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevd_batched( &
        jobz, uplo, n, a, lda, stride_a, w, stride_w, status, count) &
        bind(c, name="eigen_g_ssyevd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, count
      real(c_float), intent(inout) :: a(*)
      real(c_float), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevd_batched( &
        jobz, uplo, n, a, lda, stride_a, w, stride_w, status, count) &
        bind(c, name="eigen_g_zheevd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, count
      complex(c_double_complex), intent(inout) :: a(*)
      real(c_double), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevd_batched( &
        jobz, uplo, n, a, lda, stride_a, w, stride_w, status, count) &
        bind(c, name="eigen_g_cheevd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, count
      complex(c_float_complex), intent(inout) :: a(*)
      real(c_float), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_sygvd_batched
  interface eigen_g_sygvd_batched
    function eigen_g_dsygvd_batched( &
        jobz, uplo, n, a, lda, stride_a, b, ldb, stride_b, w, stride_w, status, count) &
        bind(c, name="eigen_g_dsygvd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, count
      real(c_double), intent(inout) :: a(*)
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvd_batched( &
        jobz, uplo, n, a, lda, stride_a, b, ldb, stride_b, w, stride_w, status, count) &
        bind(c, name="eigen_g_ssygvd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, count
      real(c_float), intent(inout) :: a(*)
      real(c_float), intent(in) :: b(*)
      real(c_float), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvd_batched( &
        jobz, uplo, n, a, lda, stride_a, b, ldb, stride_b, w, stride_w, status, count) &
        bind(c, name="eigen_g_zhegvd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, count
      complex(c_double_complex), intent(inout) :: a(*)
      complex(c_double_complex), intent(in) :: b(*)
      real(c_double), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvd_batched( &
        jobz, uplo, n, a, lda, stride_a, b, ldb, stride_b, w, stride_w, status, count) &
        bind(c, name="eigen_g_chegvd_batched") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, count
      complex(c_float_complex), intent(inout) :: a(*)
      complex(c_float_complex), intent(in) :: b(*)
      real(c_float), intent(out) :: w(*)
      integer(c_int32_t), intent(out) :: status(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_dsyevd_device, eigen_g_ssyevd_device, eigen_g_zheevd_device, eigen_g_cheevd_device, &
            eigen_g_dsyevdx_device, eigen_g_ssyevdx_device, eigen_g_zheevdx_device, eigen_g_cheevdx_device, &
            eigen_g_dsygvd_device, eigen_g_ssygvd_device, eigen_g_zhegvd_device, eigen_g_chegvd_device, &
            eigen_g_dsygvdx_device, eigen_g_ssygvdx_device, eigen_g_zhegvdx_device, eigen_g_chegvdx_device, &
            eigen_g_dsyevd_batched_device, eigen_g_ssyevd_batched_device, eigen_g_zheevd_batched_device, &
            eigen_g_cheevd_batched_device
  interface
    function eigen_g_dsyevd_device( &
        jobz, uplo, n, a_dev, lda, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dsyevd_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevd_device( &
        jobz, uplo, n, a_dev, lda, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_ssyevd_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevd_device( &
        jobz, uplo, n, a_dev, lda, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zheevd_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevd_device( &
        jobz, uplo, n, a_dev, lda, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_cheevd_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsyevdx_device( &
        jobz, range, uplo, n, a_dev, lda, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dsyevdx_device") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      real(c_double), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevdx_device( &
        jobz, range, uplo, n, a_dev, lda, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_ssyevdx_device") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      real(c_float), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevdx_device( &
        jobz, range, uplo, n, a_dev, lda, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zheevdx_device") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      real(c_double), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevdx_device( &
        jobz, range, uplo, n, a_dev, lda, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_cheevdx_device") result(info)
      import
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, il, iu, ldz
      type(c_ptr), value :: a_dev, w_dev, z_dev, stream
      real(c_float), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsygvd_device( &
        itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dsygvd_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvd_device( &
        itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_ssygvd_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvd_device( &
        itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zhegvd_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvd_device( &
        itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_chegvd_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, ldb, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsygvdx_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dsygvdx_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      real(c_double), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvdx_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_ssygvdx_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      real(c_float), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvdx_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zhegvdx_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      real(c_double), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvdx_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_chegvdx_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      real(c_float), value :: vl, vu
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsyevd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, w_dev, stride_w, z_dev, ldz, stride_z, status_dev, count, &
        stream) &
        bind(c, name="eigen_g_dsyevd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssyevd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, w_dev, stride_w, z_dev, ldz, stride_z, status_dev, count, &
        stream) &
        bind(c, name="eigen_g_ssyevd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zheevd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, w_dev, stride_w, z_dev, ldz, stride_z, status_dev, count, &
        stream) &
        bind(c, name="eigen_g_zheevd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_cheevd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, w_dev, stride_w, z_dev, ldz, stride_z, status_dev, count, &
        stream) &
        bind(c, name="eigen_g_cheevd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_sytrd
  interface eigen_g_sytrd
    function eigen_g_dsytrd( &
        uplo, n, a, lda, d, e, tau) &
        bind(c, name="eigen_g_dsytrd") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(out) :: d(*), e(*)
      real(c_double), intent(out) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssytrd( &
        uplo, n, a, lda, d, e, tau) &
        bind(c, name="eigen_g_ssytrd") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(out) :: d(*), e(*)
      real(c_float), intent(out) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhetrd( &
        uplo, n, a, lda, d, e, tau) &
        bind(c, name="eigen_g_zhetrd") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      complex(c_double_complex), intent(inout) :: a(lda, *)
      real(c_double), intent(out) :: d(*), e(*)
      complex(c_double_complex), intent(out) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_chetrd( &
        uplo, n, a, lda, d, e, tau) &
        bind(c, name="eigen_g_chetrd") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      complex(c_float_complex), intent(inout) :: a(lda, *)
      real(c_float), intent(out) :: d(*), e(*)
      complex(c_float_complex), intent(out) :: tau(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_stedc
  interface eigen_g_stedc
    function eigen_g_dstedc( &
        compz, n, d, e, z, ldz) &
        bind(c, name="eigen_g_dstedc") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      real(c_double), intent(inout) :: d(*), e(*)
      real(c_double), intent(inout) :: z(ldz, *)
      integer(c_int64_t) :: info
    end function
    function eigen_g_sstedc( &
        compz, n, d, e, z, ldz) &
        bind(c, name="eigen_g_sstedc") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      real(c_float), intent(inout) :: d(*), e(*)
      real(c_float), intent(inout) :: z(ldz, *)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zstedc( &
        compz, n, d, e, z, ldz) &
        bind(c, name="eigen_g_zstedc") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      real(c_double), intent(inout) :: d(*), e(*)
      complex(c_double_complex), intent(inout) :: z(ldz, *)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cstedc( &
        compz, n, d, e, z, ldz) &
        bind(c, name="eigen_g_cstedc") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      real(c_float), intent(inout) :: d(*), e(*)
      complex(c_float_complex), intent(inout) :: z(ldz, *)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_ormtr
  interface eigen_g_ormtr
    function eigen_g_dormtr( &
        side, uplo, trans, n, m, a, lda, tau, z, ldz) &
        bind(c, name="eigen_g_dormtr") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      real(c_double), intent(in) :: a(lda, *)
      real(c_double), intent(inout) :: z(ldz, *)
      real(c_double), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_sormtr( &
        side, uplo, trans, n, m, a, lda, tau, z, ldz) &
        bind(c, name="eigen_g_sormtr") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      real(c_float), intent(in) :: a(lda, *)
      real(c_float), intent(inout) :: z(ldz, *)
      real(c_float), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zunmtr( &
        side, uplo, trans, n, m, a, lda, tau, z, ldz) &
        bind(c, name="eigen_g_zunmtr") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      complex(c_double_complex), intent(in) :: a(lda, *)
      complex(c_double_complex), intent(inout) :: z(ldz, *)
      complex(c_double_complex), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cunmtr( &
        side, uplo, trans, n, m, a, lda, tau, z, ldz) &
        bind(c, name="eigen_g_cunmtr") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      complex(c_float_complex), intent(in) :: a(lda, *)
      complex(c_float_complex), intent(inout) :: z(ldz, *)
      complex(c_float_complex), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_orgtr
  interface eigen_g_orgtr
    function eigen_g_dorgtr( &
        uplo, n, a, lda, tau) &
        bind(c, name="eigen_g_dorgtr") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_sorgtr( &
        uplo, n, a, lda, tau) &
        bind(c, name="eigen_g_sorgtr") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      real(c_float), intent(inout) :: a(lda, *)
      real(c_float), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_zungtr( &
        uplo, n, a, lda, tau) &
        bind(c, name="eigen_g_zungtr") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      complex(c_double_complex), intent(inout) :: a(lda, *)
      complex(c_double_complex), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_cungtr( &
        uplo, n, a, lda, tau) &
        bind(c, name="eigen_g_cungtr") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      complex(c_float_complex), intent(inout) :: a(lda, *)
      complex(c_float_complex), intent(in) :: tau(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_dsytrd_sy2sb, eigen_g_dsytrd_sb2st, eigen_g_dsytrd_sb2st_hous, eigen_g_dormtr_sb2st, &
            eigen_g_dormtr_sy2sb
  interface
    function eigen_g_dsytrd_sy2sb( &
        uplo, n, kd, a, lda, ab, ldab, tau) &
        bind(c, name="eigen_g_dsytrd_sy2sb") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, kd, lda, ldab
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(inout) :: ab(ldab, *)
      real(c_double), intent(out) :: tau(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsytrd_sb2st( &
        uplo, n, kd, ab, ldab, d, e, hous) &
        bind(c, name="eigen_g_dsytrd_sb2st") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, kd, ldab
      real(c_double), intent(inout) :: ab(ldab, *)
      real(c_double), intent(out) :: d(*), e(*), hous(*)
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsytrd_sb2st_hous( &
        n, kd) &
        bind(c, name="eigen_g_dsytrd_sb2st_hous") result(info)
      import
      integer(c_int64_t), value :: n, kd
      integer(c_int64_t) :: info
    end function
    function eigen_g_dormtr_sb2st( &
        n, m, kd, hous, z, ldz) &
        bind(c, name="eigen_g_dormtr_sb2st") result(info)
      import
      integer(c_int64_t), value :: n, m, kd, ldz
      real(c_double), intent(inout) :: hous(*)
      real(c_double), intent(inout) :: z(ldz, *)
      integer(c_int64_t) :: info
    end function
    function eigen_g_dormtr_sy2sb( &
        uplo, n, m, kd, a, lda, tau, z, ldz) &
        bind(c, name="eigen_g_dormtr_sy2sb") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, m, kd, lda, ldz
      real(c_double), intent(inout) :: a(lda, *)
      real(c_double), intent(inout) :: z(ldz, *)
      real(c_double), intent(inout) :: tau(*)
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_dsytrd_device, eigen_g_ssytrd_device, eigen_g_zhetrd_device, eigen_g_chetrd_device, &
            eigen_g_dstedc_device, eigen_g_sstedc_device, eigen_g_zstedc_device, eigen_g_cstedc_device, &
            eigen_g_dormtr_device, eigen_g_sormtr_device, eigen_g_zunmtr_device, eigen_g_cunmtr_device, &
            eigen_g_dorgtr_device, eigen_g_sorgtr_device, eigen_g_zungtr_device, eigen_g_cungtr_device, &
            eigen_g_dsytrd_sy2sb_device, eigen_g_dsytrd_sb2st_device, eigen_g_dormtr_sb2st_device, eigen_g_dormtr_sy2sb_device
  interface
    function eigen_g_dsytrd_device( &
        uplo, n, a_dev, lda, d_dev, e_dev, tau_dev, stream) &
        bind(c, name="eigen_g_dsytrd_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, d_dev, e_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssytrd_device( &
        uplo, n, a_dev, lda, d_dev, e_dev, tau_dev, stream) &
        bind(c, name="eigen_g_ssytrd_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, d_dev, e_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhetrd_device( &
        uplo, n, a_dev, lda, d_dev, e_dev, tau_dev, stream) &
        bind(c, name="eigen_g_zhetrd_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, d_dev, e_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_chetrd_device( &
        uplo, n, a_dev, lda, d_dev, e_dev, tau_dev, stream) &
        bind(c, name="eigen_g_chetrd_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, d_dev, e_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dstedc_device( &
        compz, n, d_dev, e_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dstedc_device") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      type(c_ptr), value :: d_dev, e_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_sstedc_device( &
        compz, n, d_dev, e_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_sstedc_device") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      type(c_ptr), value :: d_dev, e_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zstedc_device( &
        compz, n, d_dev, e_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zstedc_device") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      type(c_ptr), value :: d_dev, e_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_cstedc_device( &
        compz, n, d_dev, e_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_cstedc_device") result(info)
      import
      character(kind=c_char), value :: compz
      integer(c_int64_t), value :: n, ldz
      type(c_ptr), value :: d_dev, e_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dormtr_device( &
        side, uplo, trans, n, m, a_dev, lda, tau_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dormtr_device") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      type(c_ptr), value :: a_dev, tau_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_sormtr_device( &
        side, uplo, trans, n, m, a_dev, lda, tau_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_sormtr_device") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      type(c_ptr), value :: a_dev, tau_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zunmtr_device( &
        side, uplo, trans, n, m, a_dev, lda, tau_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zunmtr_device") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      type(c_ptr), value :: a_dev, tau_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_cunmtr_device( &
        side, uplo, trans, n, m, a_dev, lda, tau_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_cunmtr_device") result(info)
      import
      character(kind=c_char), value :: side, uplo, trans
      integer(c_int64_t), value :: n, m, lda, ldz
      type(c_ptr), value :: a_dev, tau_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dorgtr_device( &
        uplo, n, a_dev, lda, tau_dev, stream) &
        bind(c, name="eigen_g_dorgtr_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_sorgtr_device( &
        uplo, n, a_dev, lda, tau_dev, stream) &
        bind(c, name="eigen_g_sorgtr_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zungtr_device( &
        uplo, n, a_dev, lda, tau_dev, stream) &
        bind(c, name="eigen_g_zungtr_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_cungtr_device( &
        uplo, n, a_dev, lda, tau_dev, stream) &
        bind(c, name="eigen_g_cungtr_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, lda
      type(c_ptr), value :: a_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsytrd_sy2sb_device( &
        uplo, n, kd, a_dev, lda, ab_dev, ldab, tau_dev, stream) &
        bind(c, name="eigen_g_dsytrd_sy2sb_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, kd, lda, ldab
      type(c_ptr), value :: a_dev, ab_dev, tau_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsytrd_sb2st_device( &
        uplo, n, kd, ab_dev, ldab, d_dev, e_dev, hous_dev, stream) &
        bind(c, name="eigen_g_dsytrd_sb2st_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, kd, ldab
      type(c_ptr), value :: ab_dev, d_dev, e_dev, hous_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dormtr_sb2st_device( &
        n, m, kd, hous_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dormtr_sb2st_device") result(info)
      import
      integer(c_int64_t), value :: n, m, kd, ldz
      type(c_ptr), value :: hous_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dormtr_sy2sb_device( &
        uplo, n, m, kd, a_dev, lda, tau_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dormtr_sy2sb_device") result(info)
      import
      character(kind=c_char), value :: uplo
      integer(c_int64_t), value :: n, m, kd, lda, ldz
      type(c_ptr), value :: a_dev, tau_dev, z_dev, stream
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_dsygvd_batched_device, eigen_g_ssygvd_batched_device, eigen_g_zhegvd_batched_device, &
            eigen_g_chegvd_batched_device, eigen_g_dsygvdx_factored_device, eigen_g_ssygvdx_factored_device, &
            eigen_g_zhegvdx_factored_device, eigen_g_chegvdx_factored_device
  interface
    function eigen_g_dsygvd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, b_dev, ldb, stride_b, w_dev, stride_w, z_dev, ldz, stride_z, &
        status_dev, count, stream) &
        bind(c, name="eigen_g_dsygvd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, b_dev, ldb, stride_b, w_dev, stride_w, z_dev, ldz, stride_z, &
        status_dev, count, stream) &
        bind(c, name="eigen_g_ssygvd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, b_dev, ldb, stride_b, w_dev, stride_w, z_dev, ldz, stride_z, &
        status_dev, count, stream) &
        bind(c, name="eigen_g_zhegvd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvd_batched_device( &
        jobz, uplo, n, a_dev, lda, stride_a, b_dev, ldb, stride_b, w_dev, stride_w, z_dev, ldz, stride_z, &
        status_dev, count, stream) &
        bind(c, name="eigen_g_chegvd_batched_device") result(info)
      import
      character(kind=c_char), value :: jobz, uplo
      integer(c_int64_t), value :: n, lda, stride_a, ldb, stride_b, stride_w, ldz, stride_z, count
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, status_dev, stream
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsygvdx_factored_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_dsygvdx_factored_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      real(c_double), value :: vl, vu
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssygvdx_factored_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_ssygvdx_factored_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      real(c_float), value :: vl, vu
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_zhegvdx_factored_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_zhegvdx_factored_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      real(c_double), value :: vl, vu
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
    function eigen_g_chegvdx_factored_device( &
        itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream) &
        bind(c, name="eigen_g_chegvdx_factored_device") result(info)
      import
      integer(c_int), value :: itype
      character(kind=c_char), value :: jobz, range, uplo
      integer(c_int64_t), value :: n, lda, ldb, il, iu, ldz
      real(c_float), value :: vl, vu
      type(c_ptr), value :: a_dev, b_dev, w_dev, z_dev, stream
      integer(c_int64_t), intent(out) :: m
      integer(c_int64_t) :: info
    end function
  end interface

  public :: eigen_g_dsolve_shards, eigen_g_ssolve_shards, eigen_g_zsolve_shards, eigen_g_csolve_shards
  public :: eigen_g_default_options, eigen_g_dsolve, eigen_g_dsolve_batched, eigen_g_dsolver_create, eigen_g_dsolver_solve, &
            eigen_g_dsolver_destroy, eigen_g_dsolver_workspace, eigen_g_dsolver_set_workspace, eigen_g_dsolver_enqueue, &
            eigen_g_release_thread_cache, eigen_g_word, eigen_g_info_text, eigen_g_version
  interface
    subroutine eigen_g_default_options(options) bind(c)
      import
      type(eigen_g_options), intent(out) :: options
    end subroutine
    ! a, w and z are arrays of the program, by c_loc(), or device pointers if device_pointers is not 0.
    function eigen_g_dsolve(n, a, lda, w, z, ldz, device_pointers, stream, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, lda, ldz
      type(c_ptr), value :: a, w, z, stream
      integer(c_int), value :: device_pointers
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    ! w is an array of the program, by c_loc(), or a device pointer. z is not used if only values are found.
    function eigen_g_dsolve_shards(n, count_a, a, w, count_z, z, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, count_a, count_z
      type(eigen_g_shard), intent(in) :: a(*), z(*)
      type(c_ptr), value :: w
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    function eigen_g_ssolve_shards(n, count_a, a, w, count_z, z, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, count_a, count_z
      type(eigen_g_shard), intent(in) :: a(*), z(*)
      type(c_ptr), value :: w
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    function eigen_g_zsolve_shards(n, count_a, a, w, count_z, z, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, count_a, count_z
      type(eigen_g_shard), intent(in) :: a(*), z(*)
      type(c_ptr), value :: w
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    function eigen_g_csolve_shards(n, count_a, a, w, count_z, z, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, count_a, count_z
      type(eigen_g_shard), intent(in) :: a(*), z(*)
      type(c_ptr), value :: w
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    ! a, w, z and status as in eigen_g_dsolve.
    function eigen_g_dsolve_batched(n, count, a, lda, stride_a, w, stride_w, z, ldz, stride_z, status, device_pointers, &
                                    stream, options, result) bind(c) result(info)
      import
      integer(c_int64_t), value :: n, count, lda, stride_a, stride_w, ldz, stride_z
      type(c_ptr), value :: a, w, z, status, stream
      integer(c_int), value :: device_pointers
      type(eigen_g_options), intent(in), optional :: options
      type(eigen_g_batch_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    ! allocator: c_null_ptr, or the address of a struct eigen_g_allocator.
    function eigen_g_dsolver_create(solver, n, device_pointers, options, allocator) bind(c) result(info)
      import
      type(c_ptr), intent(out) :: solver
      integer(c_int64_t), value :: n
      integer(c_int), value :: device_pointers
      type(eigen_g_options), intent(in), optional :: options
      type(c_ptr), value :: allocator
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsolver_solve(solver, a, lda, w, z, ldz, stream, result) bind(c) result(info)
      import
      type(c_ptr), value :: solver, a, w, z, stream
      integer(c_int64_t), value :: lda, ldz
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsolver_workspace(solver, host_bytes, device_bytes) bind(c) result(info)
      import
      type(c_ptr), value :: solver
      integer(c_int64_t), intent(out) :: host_bytes, device_bytes
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsolver_set_workspace(solver, workspace_dev, bytes) bind(c) result(info)
      import
      type(c_ptr), value :: solver, workspace_dev
      integer(c_int64_t), value :: bytes
      integer(c_int64_t) :: info
    end function
    function eigen_g_dsolver_enqueue(solver, a_dev, lda, w_dev, z_dev, ldz, stream, result) bind(c) result(info)
      import
      type(c_ptr), value :: solver, a_dev, w_dev, z_dev, stream
      integer(c_int64_t), value :: lda, ldz
      type(eigen_g_result), intent(out), optional :: result
      integer(c_int64_t) :: info
    end function
    subroutine eigen_g_dsolver_destroy(solver) bind(c)
      import
      type(c_ptr), value :: solver
    end subroutine
    subroutine eigen_g_release_thread_cache() bind(c)
    end subroutine
    function info_text(info) bind(c, name="eigen_g_info_text") result(text)
      import
      integer(c_int64_t), value :: info
      type(c_ptr) :: text
    end function
    function version_text() bind(c, name="eigen_g_version") result(text)
      import
      type(c_ptr) :: text
    end function
  end interface

contains

  ! The C text of a word, for a member of eigen_g_options. The text is kept until the program ends.
  function eigen_g_word(word) result(text)
    character(len=*), intent(in) :: word
    type(c_ptr) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    allocate (letters(len(word) + 1))
    do i = 1, len(word)
      letters(i) = word(i:i)
    end do
    letters(len(word) + 1) = c_null_char
    text = c_loc(letters(1))
  end function

  function eigen_g_info_text(info) result(text)
    integer(c_int64_t), intent(in) :: info
    character(len=:), allocatable :: text
    text = text_of(info_text(info))
  end function

  function eigen_g_version() result(text)
    character(len=:), allocatable :: text
    text = text_of(version_text())
  end function

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(pointer, letters, [4096])
    i = 1
    do while (letters(i) /= c_null_char)
      i = i + 1
    end do
    allocate (character(len=i - 1) :: text)
    do i = 1, len(text)
      text(i:i) = letters(i)
    end do
  end function

end module eigen_g

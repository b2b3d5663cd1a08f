"""The generalised problem through ctypes: a drop-in for a program that calls LAPACK's or cuSOLVER's sygvd.

    python generalised.py /path/to/libeigen_g.so

With cupy arrays (as gpu4pyscf has them) call eigen_g_dsygvd_device with `.data.ptr`, z over a, and the stream's pointer instead.
"""
import ctypes
import sys

import numpy

# --- the drop-in
lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libeigen_g.so")
lib.eigen_g_dsygvd.restype, i64, double_p = ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p


def eigh(h, s):
    """h c = s c diag(e): e, c. Symmetric matrices are their own transposes, so row-major ones do."""
    a, b, e, n = h.copy(), s.copy(), numpy.empty(len(h)), i64(len(h))
    info = lib.eigen_g_dsygvd(1, ctypes.c_char(b"V"), ctypes.c_char(b"L"), n, double_p(a.ctypes.data), n,
                              double_p(b.ctypes.data), n, double_p(e.ctypes.data))
    if info:  # above n: the leading minor of s of order info - n is not positive definite
        raise numpy.linalg.LinAlgError(f"eigen_g_dsygvd: {info}")
    return e, a.T
# ---


if __name__ == "__main__":
    rng = numpy.random.default_rng(1)
    h, s = rng.standard_normal((200, 200)), rng.standard_normal((200, 200))
    h, s = h + h.T, s @ s.T + 200 * numpy.eye(200)
    e, c = eigh(h, s)
    residual = abs(h @ c - s @ c * e).max() / abs(h).max()
    orthogonality = abs(c.T @ s @ c - numpy.eye(200)).max()
    print(f"residual {residual:.1e}, orthogonality {orthogonality:.1e}")
    try:
        eigh(h, s - 1e4 * numpy.eye(200))
        sys.exit("a matrix that is not positive definite passed")
    except numpy.linalg.LinAlgError:
        sys.exit(not (residual < 1e-12 and orthogonality < 1e-12))

// A library whose dsyevd() is not LAPACK's: its arguments are values, and it returns a result.
extern "C" long dsyevd(char job, double scale, int n, const double* a, double shift, long a4, long a5,
                       long a6, long a7) {
  return job == 'V' ? n * 1000 + static_cast<long>(scale * a[0] + shift) + a4 + a5 + a6 + a7 : -1;
}

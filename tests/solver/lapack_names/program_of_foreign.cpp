// A program that calls the dsyevd() of names_of_foreign.cpp. test_lapack_names.cpp starts it with `eigen_g run`.
extern "C" long dsyevd(char job, double scale, int n, const double* a, double shift, long a4, long a5,
                       long a6, long a7);

int main() {
  const double a = 6;
  return dsyevd('V', 1.5, 7, &a, 4.0, 10, 20, 30, 40) == 7000 + 13 + 100 ? 0 : 1;
}

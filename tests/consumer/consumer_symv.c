/* Tests the symmetric product's C interface without a GPU: refusals and an empty product. */
#include <eigen_g/symv_c.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
  const double a = 0, x = 0;
  double y = 0;
  eigen_g_symv_handle* handle = NULL;
  const int64_t created = eigen_g_symv_create(&handle);
  const int64_t bad_uplo = eigen_g_dsymv(handle, NULL, 'X', 1, 1.0, &a, 1, &x, 1, 0.0, &y, 1);
  const int64_t bad_lda = eigen_g_dsymv(handle, NULL, 'L', 2, 1.0, &a, 1, &x, 1, 0.0, &y, 1);
  const int64_t no_handle = eigen_g_dsymv(NULL, NULL, 'L', 0, 1.0, &a, 1, &x, 1, 0.0, &y, 1);
  const int64_t nothing = eigen_g_dsymv(handle, NULL, 'L', 0, 1.0, &a, 1, &x, 1, 0.0, &y, 1);
  eigen_g_symv_destroy(handle);
  const int right = created == 0 && bad_uplo == -3 && bad_lda == -7 && no_handle == -1 && nothing == 0;
  printf("symv: info %d, %d, %d, %d, %d%s\n", (int)created, (int)bad_uplo, (int)bad_lda, (int)no_handle,
         (int)nothing, right ? "" : " WRONG");
  return right ? 0 : 1;
}

#!/usr/bin/env bash
# test_lapack_exports.sh LIBRARY
# libeigen_g_lapack.so must export LAPACK's names and nothing else, each in all eight forms, and must need no library that a program
# without it would not load: no BLAS, no CUDA, no libstdc++.
set -euo pipefail
names=$(nm --dynamic --defined-only "$1" | cut -d' ' -f3 | sort)
failed=0
fault() {
  echo "FAILED: $*"
  failed=1
}
plain=$(grep '_$' <<<"$names" | grep -v '^scipy_' | grep -v '_64_$' | sed 's/_$//')
expected=$(for name in $plain; do
  printf '%s\n' "${name}_" "${name}_64_" "scipy_${name}_" "scipy_${name}_64_" "$name" "${name}_64" "${name^^}" "${name^^}_64"
done | sort)
[[ $names == "$expected" ]] || fault "not in all forms: $(diff <(echo "$names") <(echo "$expected") | grep '^[<>]' | head -5 | tr '\n' ' ')"
routines='(sy|he)(evd?|ev[rx]|ev[drx]?_2stage|gv[dx]?|gv_2stage)|(sp|hp)(ev|gv)[dx]?|(sb|hb)(ev[dx]?|ev[dx]?_2stage|gv[dx]?)|st(ev[drx]?|edc|erf)|sytrd|hetrd|ormtr|unmtr|orgtr|ungtr'
if others=$(grep -vE "^[sdcz]($routines)$" <<<"$plain"); then fault "no names of LAPACK's: $others"; fi
for name in dsyevd ssyevr zheevx chegvd dspgvx zhpevd dsbgv chbev_2stage dstedc dsytrd sstevd cunmtr; do
  grep -qx "$name" <<<"$plain" || fault "not exported: $name"
done
if needed=$(readelf --dynamic "$1" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|ld-linux[^.]*)\.so'); then fault "needs $needed"; fi
exit $failed

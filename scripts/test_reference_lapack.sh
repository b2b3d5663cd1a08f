#!/usr/bin/env bash
# scripts/test_reference_lapack.sh BUILD_FOLDER
# Runs the tests of Reference LAPACK for symmetric problems (TESTING/EIG: sep, se2, sb, sg, in four types) with and without
# libeigen_g_lapack.so, and fails if more of them fail with it. Every matrix of order 2 and more goes to eigen_g.
#   EIGEN_G_DEVICE         cpu (default) or gpu
#   LAPACK_SOURCE          folder of LAPACK's source. Default: Debian's source package is downloaded with apt-get
# Needs gfortran, and libtmglib-dev, which liblapacke-dev brings along.
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export EIGEN_G_DEVICE=${EIGEN_G_DEVICE:-cpu} EIGEN_G_MIN_N=2 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Debian's own package lists are not changed: the sources' lists are in a folder of this run.
download() {
  mkdir -p "$work"/parts "$work"/lists/partial
  [[ ! -e /etc/apt/sources.list ]] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$work/parts/all.list"
  local file
  for file in /etc/apt/sources.list.d/debian*.sources /etc/apt/sources.list.d/ubuntu*.sources; do
    [[ ! -e $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/parts/${file##*/}"
  done
  local apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" -o Dir::State::Lists="$work/lists"
    -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$work" && "${apt[@]}" source --download-only lapack >/dev/null)
  tar -xf "$work"/lapack_*.orig.tar.* -C "$work"
  source=$(echo "$work"/lapack-*/)
}

if [[ -n ${LAPACK_SOURCE:-} ]]; then
  cp -r "$LAPACK_SOURCE" "$work/lapack"
  source=$work/lapack
else
  download
fi
reference=$(dpkg -L liblapack3 | grep '/lapack/liblapack.so.3$')
tmglib=$(dpkg -L libtmglib-dev | grep '/libtmglib.a$')
blas=$(ldconfig -p | awk '/libblas.so.3 / { file = $NF } END { print file }')
cp "$source/make.inc.example" "$source/make.inc"
make -s -j "$(nproc)" -C "$source/TESTING/EIG" single double complex complex16 FFLAGS="-O1 -frecursive" \
  TMGLIB="$tmglib" LAPACKLIB="$reference" BLASLIB="$blas" >"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
export LD_LIBRARY_PATH=${reference%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Failed ratios and groups of error exits of an output.
failures_of() { awk '/out of .* failed to pass/ { for (i = 1; i < NF; ++i) if ($(i + 1) == "out") failed += $i } /failed the tests of the error exits/ { ++failed }
  END { print failed + 0 }' "$1"; }
ratios_of() { grep -oE '\( *[0-9]+ tests run\)' "$1" | tr -dc '0-9\n' | awk '{ sum += $1 } END { print sum + 0 }'; }

worse=0 ratios=0
for type in s d c z; do
  for input in sep se2 "${type}sb" "${type}sg"; do
    program=("$source/TESTING/EIG/xeigtst$type")
    "${program[@]}" <"$source/TESTING/$input.in" >"$work/alone"
    "$build/apps/eigen_g" run --report-to "$work/report" "${program[@]}" <"$source/TESTING/$input.in" >"$work/with" ||
      { echo "FAILED: $type $input: exit code $?"; worse=1; }
    alone=$(failures_of "$work/alone") with=$(failures_of "$work/with") count=$(ratios_of "$work/with")
    grep -q 'End of tests' "$work/with" || { echo "FAILED: $type $input does not end"; worse=1; }
    echo "$type $input: $count ratios, $with failed, $alone failed without eigen_g"
    ratios=$((ratios + count))
    ((with <= alone)) || worse=1
  done
done
taken=$(grep -oE 'taken [0-9]+' "$work/report" | awk '{ sum += $2 } END { print sum + 0 }')
echo "$ratios ratios, $taken calls solved by eigen_g on the $EIGEN_G_DEVICE"
((taken > 0)) || { echo "FAILED: eigen_g solved nothing"; worse=1; }
exit $worse

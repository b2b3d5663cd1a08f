#!/usr/bin/env bash
# run.sh BUILD_FOLDER cmake|pkg-config|uninstall
# Installs a finished build, moves the installation elsewhere, and builds and runs a small outside project against it;
# or installs it below DESTDIR and uninstalls it.
# Exits with 4 (skipped) if pkg-config is asked for and missing.
set -euo pipefail
build=$(cd "$1" && pwd)
way=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $way == pkg-config ]] && ! command -v pkg-config >/dev/null; then
  echo "SKIPPED: no pkg-config"
  exit 4
fi

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
lib=$(dirname "$(find "$work/moved" -name pkgconfig)")
if leaks=$(grep -rIlF -e "$build" -e "$work/first" -e "${here%/tests/consumer}" "$work/moved"); then
  printf 'FAILED: paths of the build leak into:\n%s\n' "$leaks"
  exit 1
fi
"$work/moved/bin/eigen_g" --version
for file in doc/eigen_g/{LICENSE,README.md,guide/README.md,example/first_solve.cpp} \
  bash-completion/completions/eigen_g zsh/site-functions/_eigen_g fish/vendor_completions.d/eigen_g.fish; do
  [[ -s $work/moved/share/$file ]] || { echo "FAILED: share/$file is not installed"; exit 1; }
done
page=$work/moved/share/man/man1/eigen_g-solve.1
if command -v help2man >/dev/null && ! { grep -qF 'eigen_g-solve \- compute' "$page" && grep -qF 'subset\-by\-index' "$page"; }; then
  echo "FAILED: no man page of solve"
  exit 1
fi

case $way in
  cmake)
    cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" || { cat "$work/log"; exit 1; }
    cmake --build "$work/build"
    "$work/build/consumer_cpp"
    "$work/build/consumer_c"
    if [[ -x $work/build/consumer_mpi ]]; then
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$work/build/consumer_mpi"
    fi
    [[ ! -x $work/build/consumer_symv ]] || "$work/build/consumer_symv"
    [[ ! -x $work/build/consumer_fortran ]] || "$work/build/consumer_fortran"
    if [[ -x $work/build/consumer_lapack ]]; then
      export EIGEN_G_MIN_N=2 EIGEN_G_DEVICE=cpu
      [[ ! -e $lib/libeigen_g_lapack.so ]] || "$work/moved/bin/eigen_g" run --report-to "$work/report" "$work/build/consumer_lapack"
      EIGEN_G_LOG=$work/report "$work/build/consumer_lapack_linked"
      cat "$work/report"
      [[ $(grep -c "dsyevd_ *taken 1" "$work/report") == "$(grep -c "LAPACK's names" "$work/report")" ]]
    fi
    ;;
  uninstall)
    # As packages are made: below DESTDIR. The program runs from there, and uninstall leaves nothing.
    export DESTDIR=$work/stage
    cmake --install "$build" --prefix /opt/elsewhere >/dev/null
    "$DESTDIR/opt/elsewhere/bin/eigen_g" --version
    cmake --build "$build" --target uninstall >/dev/null
    if left=$(find "$DESTDIR" -name '*eigen_g*' | grep .); then
      printf 'FAILED: uninstall leaves:\n%s\n' "$left"
      exit 1
    fi
    ;;
  pkg-config)
    export PKG_CONFIG_PATH=$lib/pkgconfig
    static=()
    [[ -n $(find "$lib" -name 'libeigen_g.so*') ]] || static=(--static)
    read -r -a flags < <(pkg-config --cflags eigen_g)
    read -r -a libraries < <(pkg-config --libs "${static[@]}" eigen_g)
    cuda=$(pkg-config --variable=cuda eigen_g)
    ${CXX:-c++} -std=c++20 "$here/consumer.cpp" "${flags[@]}" "${libraries[@]}" -o "$work/consumer_cpp"
    ${CC:-cc} -std=c11 "$here/consumer.c" "${flags[@]}" "${libraries[@]}" -lm -o "$work/consumer_c"
    export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    "$work/consumer_cpp"
    "$work/consumer_c"
    if [[ -e $lib/pkgconfig/eigen_g_fortran.pc ]]; then
      read -r -a flags_of_fortran < <(pkg-config --cflags eigen_g_fortran)
      read -r -a libraries < <(pkg-config --libs "${static[@]}" eigen_g_fortran)
      ${FC:-gfortran} "$here/consumer.f90" "${flags_of_fortran[@]}" "${libraries[@]}" -o "$work/consumer_fortran"
      "$work/consumer_fortran"
    fi
    if [[ $cuda == TRUE ]]; then
      ${CC:-cc} -std=c11 "$here/consumer_symv.c" "${flags[@]}" "${libraries[@]}" -o "$work/consumer_symv"
      "$work/consumer_symv"
    fi
    ;;
esac

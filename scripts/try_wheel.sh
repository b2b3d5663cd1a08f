#!/usr/bin/env bash
# scripts/try_wheel.sh WHEEL [PYTHON]
# Installs a wheel as its users do, into an empty environment, with neither a compiler nor this project in reach. It prints the
# seconds from the start of pip to the first verified eigenpairs, and calls the command, `eigen_g run` included.
set -euo pipefail
wheel=$(realpath "$1")
python=$(command -v "${2:-python3}")
folder=$(mktemp -d)
trap 'PATH=/usr/bin:/bin rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv empty
export PATH=$folder/empty/bin
start=$EPOCHREALTIME
pip install -q --disable-pip-version-check "$wheel"
installed=$EPOCHREALTIME
python - <<'END'
import eigen_g, numpy

a = numpy.random.default_rng(0).standard_normal((500, 500))
a = a + a.T
w, v = eigen_g.eigh(a)
assert eigen_g.verify(a, w, v).passed
print("eigen_g", eigen_g.__version__, "from", eigen_g.__file__)
END
solved=$EPOCHREALTIME
printf 'seconds: pip install %d.%02d, import and the first verified eigenpairs %d.%02d\n' \
  $(((${installed/./} - ${start/./}) / 1000000)) $(((${installed/./} - ${start/./}) / 10000 % 100)) \
  $(((${solved/./} - ${installed/./}) / 1000000)) $(((${solved/./} - ${installed/./}) / 10000 % 100))
eigen_g --version
eigen_g generate minij 200 -o a.npy
eigen_g solve a.npy -o result --verify
eigen_g run --min-n 100 --device cpu --report-to report python -c 'import numpy; numpy.linalg.eigh(numpy.eye(200) * 2)'
[[ $(<report) == *"taken 1"* ]] || { printf 'FAILED: eigen_g run took no call:\n%s\n' "$(<report)"; exit 1; }
printf '%s\n' "$(<report)"

#!/usr/bin/env bash
# test_objects.sh OBJECT ...
# The objects of sources that are compiled once for each vector width (hybrid/vector/width.hpp) define no function outside the namespace of
# their width that the linker may merge with another object's. Other objects of the list are left alone.
set -euo pipefail
checked=0 faults=0
for object in "$@"; do
  [[ $object =~ /vector/[^/]*_(generic|avx2|avx512)\.cpp\.o$ ]] || continue
  width=${BASH_REMATCH[1]}
  checked=$((checked + 1))
  if nm -C --defined-only "$object" | awk '$2 ~ /^[WVu]$/' | grep -v "eigen_g::$width::" | grep -v ' DW\.ref'; then
    echo "$object: defines the names above outside eigen_g::$width" >&2
    faults=$((faults + 1))
  fi
done
((checked > 0)) || { echo "no object of a vector width" >&2 && exit 1; }
((faults == 0))

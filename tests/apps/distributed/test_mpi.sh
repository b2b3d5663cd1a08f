#!/usr/bin/env bash
# test_mpi.sh EIGEN_G MPIEXEC DATA: tests `mpirun eigen_g solve` as a process: files of every kind, results that `eigen_g verify`
# checks, and failures, each with its exit code, one clear line and no remaining file.
set -uo pipefail
eigen_g=$1 mpiexec=$2 data=$3
work=$(mktemp -d)
full=
cleanup() {
  [[ -z $full ]] || umount "$full"
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
failed=0
fail() {
  printf 'FAILED: %s\n' "$*"
  sed 's/^/  | /' err | head -8
  failed=1
}
# mpi RANKS [arguments of eigen_g solve]: writes out and err; returns the exit code.
mpi() {
  timeout 100 "$mpiexec" -n "$1" "$eigen_g" solve "${@:2}" >out 2>err </dev/null
}
# solves RANKS MATRIX [arguments]: the solve must be verified, here and by the plain command; leaves r.*.
solves() {
  mpi "$@" -o r --force --verify --json report.json || fail "mpirun -n $*: exit code $?"
  grep -q 'without mpirun the solve is faster' err || fail "no word of the plain command"
  "$eigen_g" verify "${@:2:1}" --device cpu --values r.values.npy --vectors r.vectors.npy -q >plain 2>err ||
    fail "the plain command finds $* wrong"
}
# refuses CODE TEXT RANKS [arguments]
refuses() {
  local code=$1 text=$2 found
  shift 2
  OMPI_MCA_odls_base_sigkill_timeout=0 mpi "$@" -o none # Open MPI's launcher does not sleep a second before it ends
  found=$?
  ((found == code)) || fail "mpirun -n $*: exit code $found in place of $code"
  grep -q -- "$text" err || fail "mpirun -n $*: no word of '$text'"
  [[ -z $(find . -name '*none*') ]] || fail "mpirun -n $*: $(find . -name '*none*') is left"
}

"$eigen_g" generate random 150 -q -o full.npy && "$eigen_g" generate poisson2d 100 -q -o sparse.mtx &&
  "$eigen_g" generate minij 33 -q -o small.raw || fail "generate"
cp full.npy c_order.npy && LC_ALL=C sed -i 's/True, /False,/' c_order.npy  # symmetric: the same matrix

solves 4 full.npy --block 13
grep -q '"processes": 4' report.json && grep -q '"passed": true' report.json || fail "report.json"
solves 3 c_order.npy --subset-by-index 20:40 --library scalapack
solves 2 sparse.mtx --uplo L
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n2 1 2\n1 1 5\n1 2 2\n3 3 1\n' >both.mtx
mpi 2 both.mtx --both-triangles --verify -q || fail "both.mtx --both-triangles: exit code $?"
refuses 3 'both.mtx:5: entry (1, 2) mirrors entry (2, 1) of line 3' 2 both.mtx
solves 2 "$data/valid/poisson_4x4_complex.npz" && solves 2 "$data/valid/poisson_4x4_complex.csc"
solves 6 small.raw --block 4 --subset-by-value 0:1
gzip -c full.npy >whole.npy.gz && solves 2 whole.npy.gz
if "$eigen_g" info | grep -q HDF5; then  # stored in one piece
  "$eigen_g" generate random 90 -q -o data.h5:/group/H && solves 3 data.h5:/group/H --block 16
  mpi 2 full.npy -o none.h5
  (($? == 2)) && grep -q 'does not support -o FILE.h5' err || fail "-o none.h5"
  refuses 3 'no dataset /K' 2 data.h5:/K
  cp "$data"/hdf5/{links,minij_6}.h5 . && solves 2 links.h5:/linked/H --block 2 # behind an external link
  mpi 2 links.h5:/H -o none --json minij_6.h5 --force
  (($? == 2)) && grep -q 'minij_6.h5 (--json) is the same file as' err || fail "a linked file as output"
fi
# Complex and single precision in files of every kind; the plain command reads the same files.
"$eigen_g" generate random 90 --type z -q -o z.npy && "$eigen_g" generate flux-ring 50 -q -o ring.mtx &&
  "$eigen_g" generate kms 40 --type s -q -o s.npy && "$eigen_g" generate kms 150 -q -o b.npy || fail "generate"
cp z.npy z_order.npy && LC_ALL=C sed -i 's/True, /False,/' z_order.npy  # its conjugate
solves 4 z.npy --block 11
solves 2 z_order.npy --uplo U --subset-by-index 3:60
solves 3 ring.mtx --block 8
solves 2 s.npy
gzip -c z.npy >whole_z.npy.gz && solves 2 whole_z.npy.gz
mpi 2 --generate hofstadter 36 --verify -q --json - && grep -q '"type": "z"' out || fail "a Hermitian formula"
if "$(dirname "$eigen_g")/eigen_g_mpi" --version | grep -q elpa; then
  refuses 2 'does not support type float' 2 s.npy --library elpa
else
  refuses 2 'does not have it' 2 full.npy --library elpa
fi
# Generalised problems.
# pencil RANKS A B [arguments]
pencil() {
  mpi "$1" "$2" --b "$3" -o g --force --verify --json report.json "${@:4}" ||
    fail "mpirun -n $*: exit code $?"
  "$eigen_g" verify "$2" --b "$3" --device cpu --values g.values.npy --vectors g.vectors.npy -q "${@:4:2}" >plain 2>err ||
    fail "the plain command finds $* wrong"
}
pencil 4 full.npy b.npy --itype 1
grep -q '"passed": true' report.json && grep -q '"processes": 4' report.json || fail "report.json of a pencil"
pencil 2 full.npy b.npy --itype 3 --subset-by-index 5:9
"$eigen_g" generate kms 90 -q -o b90.npy && pencil 3 z.npy b90.npy --itype 2
mpi 2 full.npy --b b.npy --values-only -q || fail "values of a pencil"
refuses 4 'B is not positive definite: its leading minor of order' 2 full.npy --b full.npy
refuses 3 'B has order 90, but A has order 150' 2 full.npy --b b90.npy
refuses 3 'missing.npy: cannot be opened' 2 full.npy --b missing.npy
# A NaN of B is named by its position in the file: above the diagonal, and row by row.
printf '%%%%MatrixMarket matrix coordinate real general\n150 150 1\n2 3 nan\n' >nan.mtx
refuses 3 'nan.mtx: entry (2, 3) is NaN' 2 full.npy --b nan.mtx
refuses 3 'nan.mtx: entry (2, 3) is NaN' 2 nan.mtx --b b.npy
cp b.npy nan.npy && LC_ALL=C sed -i 's/True, /False,/' nan.npy
printf '\0\0\0\0\0\0\370\177' |
  dd of=nan.npy bs=1 seek=$(($(stat -c %s nan.npy) - 8 * 150 * 150 + 8 * 152)) conv=notrunc status=none
refuses 3 'nan.npy: entry (2, 3) is NaN' 2 full.npy --b nan.npy
refuses 3 'full.npy: has order 150; --n says 5' 2 full.npy --n 5
printf '%%%%MatrixMarket matrix coordinate real symmetric\n40 40 2\n1 1 1e-60\n3 2 3e-60\n' >tiny.mtx
refuses 3 'tiny.mtx: entry (3, 2), the largest one, is below the range of float' 2 tiny.mtx --type s
"$eigen_g" generate kms 40 --scale 1e-60 -q -o tiny.npy || fail "generate"
refuses 3 'the largest one, is below the range of float' 2 tiny.npy --type s
printf '3\n1 3 1\n2 3 1\n3 3 0\n' >t.dat && { mpi 2 t.dat --b t.dat -q || fail "a tridiagonal B"; }
mpi 6 --generate minij 3 --verify --block 2 || fail "more processes than blocks"
mpi 2 --generate 1-2-1 40 --values-only -q --json - || fail "values alone"
grep -q '"vectors": 0' out || fail "JSON on stdout: $(head -3 out)"
(($(grep -c '"format"' out) == 2)) || fail "not one report: $(wc -l <out) lines"  # one of the report and one of the matrix

refuses 2 'MATRIX or --generate KIND N is required' 2
refuses 2 'must be an order' 2 --generate minij x
refuses 2 'unknown kind' 2 --generate nothing 5
for kind in 'hofstadter 9' 'flux-ring 5' 'hermitian-kms 5'; do  # kinds without a real form
  read -ra kind <<<"$kind"
  refuses 2 "${kind[0]} is complex; must be c or z" 2 --generate "${kind[@]}" --type d --verify
  refuses 2 "${kind[0]} is complex; must be c or z" 2 --generate "${kind[@]}" --type s
done
refuses 2 '-1 must be a number from 0' 2 --generate random 5 --seed -1
refuses 2 'seed does not apply to KIND minij' 2 --generate minij 5 --seed 5
refuses 2 'seed requires --generate' 2 full.npy --seed 5
mpi 2 --generate random 5 --seed 5 -q || fail "--seed"
for option in '--uplo U' '--n 7' '--input-format raw' --symmetrize --both-triangles; do
  read -ra option <<<"$option"
  refuses 2 "${option[0]} does not apply to --generate" 2 --generate minij 5 "${option[@]}"
done
refuses 2 'does not support --lowest' 2 full.npy --lowest 3
# A GPU for each process, or a message that says what is missing.
if timeout 100 "$mpiexec" -n 1 "${eigen_g}_mpi" --version 2>/dev/null | grep -q cusolvermp; then
  gpus=$("$eigen_g" info | grep -c "^GPU *[0-9]")
  if ((gpus == 0)); then
    refuses 6 'process 0 on .* has no GPU' 2 full.npy --library cusolvermp
    refuses 6 'has no GPU' 2 full.npy --device gpu
  else
    refuses 6 'has the same GPU as process 0' $((gpus + 1)) full.npy --library cusolvermp
  fi
  refuses 2 'cusolvermp has the one-stage path only' 2 full.npy --library cusolvermp --path two
  refuses 2 'cusolvermp cannot be combined with --device cpu' 2 full.npy --library cusolvermp --device cpu
else
  refuses 2 'cusolvermp: this build does not have it: .*nccl.h' 2 full.npy --library cusolvermp
  refuses 2 'device gpu in a build without cuSOLVERMp' 2 full.npy --device gpu
fi
refuses 3 'cannot be opened' 2 missing.npy
refuses 3 'is not symmetric' 2 "$data/invalid/npy_not_symmetric.npy"
# A launcher whose processes do not know of each other.
env OMPI_COMM_WORLD_SIZE=2 "$eigen_g" solve full.npy -o none >out 2>err </dev/null
(($? == 2)) || fail "processes that do not know of each other: exit code"
[[ -z $(find . -name '*none*') ]] || fail "processes that do not know of each other: a file"

# A file that only the first process can read, because the second one has another folder.
mkdir a b && cp full.npy a
timeout 100 "$mpiexec" -n 1 -wdir "$work/a" "$eigen_g" solve full.npy -o "$work/none" : \
  -n 1 -wdir "$work/b" "$eigen_g" solve full.npy -o "$work/none" >out 2>err </dev/null
(($? == 3)) || fail "a file that one process cannot read: exit code"
grep -q 'rank 1 on .*full.npy: cannot be opened' err || fail "a file that one process cannot read: no word"

# A process dies while the others work: all must end, and no file may remain.
timeout 100 "$mpiexec" -n 3 "$eigen_g" solve --generate random 1500 -o none >out 2>err </dev/null &
launcher=$!
for ((i = 0; i < 300; i++)); do
  victim=$(pgrep -P "$launcher" -n eigen_g_mpi || pgrep -n -f "^[^ ]*eigen_g solve --generate random 1500") || victim=
  [[ -z $victim || -z $(find . -name '.none*') ]] || break
  sleep 0.1
done
[[ -n $victim ]] && kill -KILL "$victim"
wait "$launcher"
(($? != 0)) || fail "a process that dies: exit code 0"
for ((i = 0; i < 50; i++)); do
  [[ -n $(find . -name '*none*') ]] || break
  sleep 0.1
done
[[ -z $(find . -name '*none*') ]] || fail "a process that dies: $(find . -name '*none*') is left"

# A full disk, if the test can make one.
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
  full=$work/disk
  mpi 2 full.npy -o disk/none
  (($? == 3)) || fail "a full disk: exit code"
  grep -q 'No space left' err || fail "a full disk: no word"
  [[ -z $(ls -A disk) ]] || fail "a full disk: $(ls -A disk) is left"
fi
((failed == 0)) && echo "passed"
exit $failed

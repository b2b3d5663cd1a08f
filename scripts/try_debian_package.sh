#!/usr/bin/env bash
# scripts/try_debian_package.sh PACKAGE [SUITE]
# Installs the Debian package into a fresh minimal system (debootstrap), with nothing else, and runs the command there; SUITE is
# Debian's release (default: this one). Needs root. It prints the seconds from the start of apt-get to the first verified eigenpairs, and the
# packages that came along.
set -euo pipefail
package=$(realpath "$1")
# shellcheck disable=SC1091  # a file of the system
suite=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
tree=$(mktemp -d)
trap 'umount "$tree/proc" 2>/dev/null || true; rm -rf "$tree"' EXIT
debootstrap --variant=minbase "$suite" "$tree" >"$tree.log" || { tail -n 20 "$tree.log"; exit 1; }
rm -f "$tree.log"
mount -t proc proc "$tree/proc"
cp "$package" "$tree/tmp/"
inside() { chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
# shellcheck disable=SC2016  # dpkg-query expands it
packages() { inside dpkg-query -W -f '${Package}\n'; }
packages >"$tree/tmp/before"
start=$EPOCHREALTIME
inside apt-get install -y -qq --no-install-recommends "/tmp/${package##*/}" >"$tree/tmp/log" 2>&1 || { cat "$tree/tmp/log"; exit 1; }
inside eigen_g generate minij 500 -o /tmp/a.npy
inside eigen_g solve /tmp/a.npy -o /tmp/result --verify | grep -E 'pass|lowest|highest'
end=$EPOCHREALTIME
printf 'seconds from apt-get to verified eigenpairs: %d\n' $(((${end/./} - ${start/./}) / 1000000))
inside ldconfig -p | grep libeigen_g
for file in man/man1/eigen_g-solve.1 doc/eigen_g/guide/README.md bash-completion/completions/eigen_g zsh/vendor-completions/_eigen_g fish/vendor_completions.d/eigen_g.fish; do
  [[ -s $tree/usr/share/$file ]] || { echo "FAILED: no /usr/share/$file"; exit 1; }
done
printf 'packages that came along: %s\n' "$(packages | comm -13 "$tree/tmp/before" - | tr '\n' ' ')"
inside apt-get remove -y -qq eigen-g >/dev/null 2>&1
if left=$(find "$tree/usr" -name '*eigen_g*' | grep .); then printf 'FAILED: the removal leaves %s\n' "$left"; exit 1; fi

# shellcheck shell=bash
# Another Debian release's Slurm, in a chroot with everything needed to build and test muster. It is made once and kept
# in build/suites/SUITE/root, until scripts/packages.sh names other packages. SUITE-clean is the same release without
# anything that muster is built with: packages are tested there (packaging/check). SUITE-bare has no Slurm either, only
# pip, SUITE-pristine has only what every Debian has (scripts/pristine), and SUITE-machine has a kernel and boots in qemu
# (scripts/vm). SUITE-arm64, SUITE-arm64-clean and SUITE-arm64-bare are those of arm64; on another machine, their programs
# run in qemu-user (cluster.d/emulate).

readonly suites=${MUSTER_SUITES:-$checkout/build/suites}
readonly suite_timeout=5400 # seconds to make a chroot, or to wait until another process has made it; most are for qemu

suite_root() { echo "$suites/$1/root"; }

is_arm64() { [[ $1 == *-arm64* ]]; }

# suite_origin SUITE: what its chroot is made from.
suite_origin() {
  local packages=("${packages_cluster[@]}" "${packages_training[@]}")
  case $1 in
    *-bare) packages=("${packages_bare[@]}") ;;
    *-machine) packages=("${packages_cluster[@]}" "${packages_in_machine[@]}") ;;
    *-arm64-clean) packages=("${packages_cluster[@]}" python3) ;; # a training takes minutes under qemu-user
    *-pristine) packages=() ;;
    *-clean) ;;
    *) packages+=("${packages_build[@]}" "${packages_in_suite[@]}") ;;
  esac
  [[ $1 != *-arm64 ]] || packages+=("${packages_in_arm64[@]}")
  echo "$1"
  ((${#packages[@]} == 0)) || printf '%s\n' "${packages[@]}"
}

# prepare_suite SUITE: makes the chroot unless it exists and is up to date. An incomplete one has no made-from file.
prepare_suite() {
  [[ $1 =~ ^[a-z]+(-arm64)?(-clean|-bare|-pristine|-machine)?$ ]] || usage_error "'$1' is not the name of a Debian release"
  mkdir -p "$suites/$1"
  exec 8<"$suites/$1"
  flock -w "$suite_timeout" 8 || die "another process has been making $suites/$1 for $suite_timeout s; stop it first"
  [[ $(cat "$suites/$1/made-from" 2>/dev/null) == "$(suite_origin "$1")" ]] || make_suite "$1"
  exec 8<&-
}

make_suite() {
  local mirror
  need_command mmdebstrap mmdebstrap
  ! is_arm64 "$1" || need_arm64
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || { apt-get -qq update && mirror=$(debian_mirror); }
  [[ -n $mirror ]] || die "no Debian mirror is configured on this machine; add one to its apt sources"
  say "making a chroot of Debian $1 in $(suite_root "$1") (once)"
  remove_suite "$1"
  bootstrap "$1" "$mirror" &
  # shellcheck disable=SC2064 # now
  trap "kill -KILL $!; wait; remove_suite $1; exit 143" INT TERM HUP
  wait $! || {
    remove_suite "$1"
    die "mmdebstrap of $1 failed: see its output above; try again, or another release"
  }
  trap - INT TERM HUP
  rm -rf --one-file-system "$suites/$1/tmp"
  suite_origin "$1" >"$suites/$1/made-from"
}

# need_arm64: fails now rather than in the middle of mmdebstrap.
need_arm64() {
  local why
  why=$(unshare --mount -- "$parts/emulate" 2>&1) || die "$why"
}

# bootstrap SUITE MIRROR: runs in its own namespaces, which end with this script however it ends, so no mount or process
# is left behind.
bootstrap() {
  local words emulate=()
  mapfile -t words < <(bootstrap_options "$1")
  ! is_arm64 "$1" || emulate=("$parts/emulate")
  mkdir "$suites/$1/tmp"
  TMPDIR=$suites/$1/tmp exec setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc -- \
    "${emulate[@]}" timeout "$suite_timeout" mmdebstrap "${words[@]}" "${1%%-*}" "$(suite_root "$1")" \
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $2 ${1%%-*} main"
}

# remove_suite SUITE: removes everything except what was built for it.
remove_suite() { rm -rf --one-file-system "$suites/$1/made-from" "$(suite_root "$1")" "$suites/$1/tmp"; }

# debian_mirror: the first mirror in this machine's apt sources.
debian_mirror() {
  # shellcheck disable=SC2016 # apt expands these
  apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" { print $1; exit }'
}

# bootstrap_options SUITE: mmdebstrap's options, one per line.
bootstrap_options() {
  local folder
  echo --variant=minbase
  # mmdebstrap's own check would want three more packages; emulate has checked the same.
  # Without py3compile, packages do not compile their Python files, which takes many minutes under qemu-user.
  ! is_arm64 "$1" || printf '%s\n' --architectures=arm64 --skip=check/qemu --dpkgopt=path-exclude=/usr/bin/py3compile
  # The index of an old snapshot, or of testing, may have expired.
  echo '--aptopt=Acquire::Check-Valid-Until "false"'
  echo '--aptopt=Acquire::Retries "3"'
  # This machine's proxies, which mmdebstrap does not read itself.
  apt-config dump --no-empty --format='--aptopt=%f "%v"%n' Acquire::http Acquire::https
  echo --dpkgopt=force-unsafe-io
  [[ $1 != *-pristine ]] || return 0
  for folder in doc man locale; do echo "--dpkgopt=path-exclude=/usr/share/$folder/*"; done
  echo "--include=$(suite_origin "$1" | tail -n +2 | paste -sd,)"
}

# cluster_suite SUITE [CMD...]: makes the suite's chroot and runs a command inside it, in this checkout. The command's
# mounts are private and end with it.
cluster_suite() {
  (($#)) || usage_error "suite needs SUITE"
  local suite=$1 root begin=true
  shift
  need_root suite
  prepare_suite "$suite" >&2
  (($#)) || return 0
  root=$(suite_root "$suite")
  mkdir -p "$root$checkout"
  ! is_arm64 "$suite" || begin=$parts/emulate
  # shellcheck disable=SC2016
  exec unshare --mount -- bash -c '
    set -euo pipefail
    root=$1 checkout=$2
    "$3"
    shift 3
    for dir in /proc /sys /dev "$checkout"; do mount -n --rbind "$dir" "$root$dir"; done
    exec chroot "$root" env -i -C "$checkout" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
  ' suite "$root" "$checkout" "$begin" "$@"
}

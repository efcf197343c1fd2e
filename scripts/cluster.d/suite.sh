# shellcheck shell=bash
# A Debian suite's own Slurm, from a chroot that is made once for each suite and list of packages, and kept.

readonly suite_cache=/var/cache/muster-cluster
readonly suite_base=slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins,munge,libpmix2,iproute2,util-linux,procps

# suite_folder SUITE PACKAGES
suite_folder() {
  local sum=
  [[ -z $2 ]] || sum=-$(cksum <<<"$2" | cut -d' ' -f1)
  echo "$suite_cache/$1$sum"
}

# prepare_suite SUITE PACKAGES: makes the chroot unless it exists. An incomplete one has another name.
prepare_suite() {
  local folder
  [[ $1 =~ ^[a-z]+$ ]] || usage_error "'$1' is not the name of a Debian suite"
  [[ $2 =~ ^[a-z0-9.+,:-]*$ ]] || usage_error "'$2' is not a list of package names separated by commas"
  folder=$(suite_folder "$1" "$2")
  mkdir -p "$suite_cache"
  (
    flock -w 900 8 || die "another process has been making a suite for 15 minutes; wait until it has ended"
    [[ -d $folder ]] || make_suite "$1" "${2:+,$2}" "$folder"
  ) 8<"$suite_cache"
}

# make_suite SUITE ,PACKAGES FOLDER
make_suite() {
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  need_command mmdebstrap mmdebstrap
  # shellcheck disable=SC2016 # apt expands these
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" { print $1; exit }')
  [[ -n $mirror ]] || die "no Debian mirror is configured on this machine; add one to its apt sources"
  say "making a chroot of Debian $1 in $3 (once)"
  rm -rf --one-file-system "$3.new"
  # The index of an old snapshot, or of testing, may have expired.
  mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --include="$suite_base$2" \
    "$1" "$3.new" "deb [signed-by=$keyring] $mirror $1 main" ||
    die "mmdebstrap of $1 failed, see its output above; try again, or another --suite"
  mv "$3.new" "$3"
}

# cluster_suite SUITE [--packages LIST] [--] CMD...: runs a command in the suite's chroot, in this checkout,
# for example to build the plugin for that suite's Slurm. The command's mounts are private and end with it.
cluster_suite() {
  local suite=${1:-} packages='' root
  (($#)) || usage_error "suite needs SUITE [--packages LIST] CMD..."
  shift
  while (($#)); do
    case $1 in
      --packages) packages=${2:?$(usage_error '--packages needs a value')}; shift 2 ;;
      --packages=*) packages=${1#*=}; shift ;;
      --) shift; break ;;
      *) break ;;
    esac
  done
  (($#)) || usage_error "suite needs a command"
  need_root suite
  prepare_suite "$suite" "$packages" >&2
  root=$(suite_folder "$suite" "$packages")
  mkdir -p "$root$checkout"
  # shellcheck disable=SC2016
  exec unshare --mount -- bash -c '
    set -euo pipefail
    root=$1 checkout=$2
    shift 2
    for dir in /proc /sys /dev "$checkout"; do mount -n --rbind "$dir" "$root$dir"; done
    exec chroot "$root" env -i -C "$checkout" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
  ' suite "$root" "$checkout" "$@"
}

# shellcheck shell=bash
# muster's Debian packages for the lab: those that do not depend on the Slurm release are built on this machine, and the
# plugin in the release's own chroot, as packaging/check does.

# make_packages BUILD PROGRAMS: PROGRAMS is yes if BUILD contains the programs already.
make_packages() {
  local build=$1 here_is commit_time place=$1/suites/$suite/packages
  here_is=$(. /etc/os-release && echo "$VERSION_CODENAME")
  commit_time=$(git -C "$checkout" log -1 --format=%ct)
  export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$commit_time} MUSTER_SUITES=$build/suites
  common=$build/suites/$here_is/packages
  if [[ $2 == yes ]]; then
    common=$build/vm/packages
    pack_programs "$build" "$common"
  else
    say "building muster's packages"
    "$checkout/packaging/build" deb --build "$common"
  fi
  plugin=$common
  if [[ $suite != "$here_is" ]]; then
    say "building the plugin for Debian $suite"
    mkdir -p "$place"
    "$here/cluster" suite "$suite" env "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" \
      "$checkout/packaging/build" deb --plugin-only --build "$place"
    plugin=$place
  fi
}

# pack_programs BUILD FOLDER: packs what BUILD has compiled. Packages are for /usr, which changes no compiled file, so
# configuring BUILD for it, and back, costs seconds.
pack_programs() {
  local before
  before=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$1/CMakeCache.txt")
  [[ -n $before ]] || die "$1 contains no build; run scripts/setup, or omit --programs"
  say "packing the programs of $1"
  mkdir -p "$2"
  (
    trap 'cmake "-DCMAKE_INSTALL_PREFIX=$before" "$1" >/dev/null' EXIT
    exec 7<"$1"
    flock 7
    cmake -DCMAKE_INSTALL_PREFIX=/usr "$1" >/dev/null
    umask 022
    cpack -G DEB --config "$1/CPackConfig.cmake" -B "$2" >"$2/log" 2>&1 || { tail -n 20 "$2/log" >&2; exit 1; }
  ) || die "cannot pack $1; the whole log is in $2/log"
}

# chosen_packages: what docs/admin/install.md installs on a node, and the library and the Python package.
chosen_packages() {
  local file
  for file in "$common"/{muster,libmuster0,python3-muster}_*.deb "$plugin"/slurm-plugin-muster-*.deb; do
    [[ -f $file ]] || die "$file is missing"
    echo "$file"
  done
}

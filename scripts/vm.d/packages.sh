# shellcheck shell=bash
# muster's Debian packages for the lab, all built on this machine: only the plugin depends on the Slurm release, and only
# on its headers, which the release's root has.

# make_packages BUILD PROGRAMS: PROGRAMS is yes if BUILD contains the programs already. Sets `common` and `plugin`, the
# folders with the packages.
make_packages() {
  local build=$1 here_is commit_time
  here_is=$(. /etc/os-release && echo "$VERSION_CODENAME")
  commit_time=$(git -C "$checkout" log -1 --format=%ct)
  export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$commit_time}
  if [[ $2 == yes ]]; then
    common=$build/vm/packages
    pack_programs "$build" "$common"
  else
    common=$build/suites/$here_is/packages # where packaging/check has them
    say "building muster's packages"
    "$checkout/packaging/build" deb --build "$common"
  fi
  plugin=$common
  if [[ $suite != "$here_is" ]]; then
    plugin=$build/vm/$suite-plugin
    pack_plugin "$build/suites/$suite-machine/root/usr/include/slurm" "$plugin"
  fi
}

# pack_plugin HEADERS FOLDER: HEADERS are Slurm's, in a folder without the release's other headers.
pack_plugin() {
  say "building the plugin for Debian $suite"
  mkdir -p "$2/include"
  rm -rf "$2/include/slurm"
  cp -rL "$1" "$2/include/slurm"
  "$checkout/packaging/build" deb --plugin-only --build "$2" "-DSlurm_INCLUDE_DIR=$2/include" -DSlurm_LAYOUT=wlm
}

# pack_programs BUILD FOLDER: packs what BUILD has compiled, without its tests. Packages are for /usr, which changes no
# compiled file, so configuring BUILD for them, and back, costs seconds.
pack_programs() {
  local before tests
  before=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$1/CMakeCache.txt")
  tests=$(sed -n 's/^MUSTER_BUILD_TESTS:BOOL=//p' "$1/CMakeCache.txt")
  [[ -n $before ]] || die "$1 contains no build; run scripts/setup, or omit --programs"
  say "packing the programs of $1"
  mkdir -p "$2"
  (
    exec 7<"$1"
    flock 7 # scripts/suite holds it while it builds
    trap 'cmake "-DCMAKE_INSTALL_PREFIX=$before" "-DMUSTER_BUILD_TESTS=$tests" "$1" >/dev/null' EXIT
    umask 022
    cmake -DCMAKE_INSTALL_PREFIX=/usr -DMUSTER_BUILD_TESTS=OFF "$1" >/dev/null
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

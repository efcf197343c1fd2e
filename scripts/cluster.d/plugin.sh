# shellcheck shell=bash
# Installs the built plugin into the cluster and configures Slurm to load it.

# plugin_line MODE PREFIX: the plugstack.conf line, with the plugin's arguments.
plugin_line() {
  local plugin config
  plugin=$(find "$2" -name muster.so -type f -print -quit)
  config=$(find "$2" -name muster.yaml -type f -print -quit)
  [[ -n $plugin ]] || die "the build installs no muster.so; run scripts/setup"
  echo "$1 $plugin muster=$2/bin/muster${config:+ config=$config}"
}

need_build() {
  [[ -f $1/cmake_install.cmake ]] ||
    die "$1 contains no build of the plugin; run scripts/setup first (or up --plugin none)"
}

# install_files BUILD: installs into a new folder, which then replaces the old one, because a file that a running daemon
# has mapped must not be overwritten. DESTDIR catches what the build installs outside the prefix.
install_files() {
  local build=$1 prefix=$state/prefix stage=$state/stage
  rm -rf "$stage"
  (umask 022 && DESTDIR=$stage cmake --install "$build" --prefix "$prefix") >"$state/log/install.log" 2>&1 || {
    tail -n 5 "$state/log/install.log" >&2
    die "cmake --install $build failed; run scripts/setup again"
  }
  chown -R root:root "$stage"
  chmod -R go-w "$stage"
  rm -rf "$prefix.old"
  [[ ! -d $prefix ]] || mv "$prefix" "$prefix.old"
  mv "$stage$prefix" "$prefix"
  rm -rf "$prefix.old" "$stage"
}

# plugstack_file: the file that contains the plugin's line. slurmctld sends plugstack.conf to the nodes of a configless
# cluster, but not the files that it includes by path.
plugstack_file() {
  [[ -e $state/configless ]] && echo "$state/etc/plugstack.conf" || echo "$state/etc/plugstack.conf.d/muster.conf"
}

# write_plugstack MODE: writes in place, because nodes without the plugin have an empty file mounted over it.
write_plugstack() {
  : >"$state/etc/empty.conf"
  local line=
  [[ $1 == none ]] || line=$(plugin_line "$1" "$state/prefix")
  echo "$line" >"$(plugstack_file)"
  echo "$1" >"$state/plugin"
}

# install_shim FILE: installs a muster.so that only the nodes load, in place of the build's. A sanitizer writes its
# reports to log/sanitizer, where processes of any user may write.
install_shim() {
  mkdir -m 1777 "$state/log/sanitizer"
  install -m 0755 "$1" "$state/shim.so"
  find "$state/prefix" -name muster.so -type f -print -quit >"$state/shim.place"
}

# shim_environment NODE: the environment of the node's slurmd and its slurmstepds. A sanitizer must be the first library
# of a process.
shim_environment() {
  local pid
  node_pid "$1"
  echo "LD_PRELOAD=$(nsenter --target "$pid" --mount -- ldd "$state/shim.so" | awk '$1 ~ /^lib[at]san/ { print $3 }')"
  echo "ASAN_OPTIONS=detect_leaks=0:log_path=$state/log/sanitizer/asan"
  echo "UBSAN_OPTIONS=print_stacktrace=1:log_path=$state/log/sanitizer/ubsan"
}

cluster_install() {
  local build=$checkout/build mode
  while (($#)); do
    case $1 in
      --build) build=${2:?$(usage_error '--build needs a value')}; shift 2 ;;
      --build=*) build=${1#*=}; shift ;;
      *) usage_error "install: unknown argument '$1'" ;;
    esac
  done
  need_root install
  node_pid login
  need_build "$build"
  read -r mode <"$state/plugin"
  [[ $mode != none ]] || mode=optional
  install_files "$build"
  write_plugstack "$mode"
  say "installed $build into cluster $cluster ($mode)"
}

cluster_prefix() {
  [[ -d $state/prefix ]] || die "no plugin is installed in cluster $cluster; run scripts/cluster$(name_option) up or install"
  echo "$state/prefix"
}

# shellcheck shell=bash
# Commands inside the cluster's namespaces.
#
# The login node shares the machine's PID namespace, so that `exec` becomes the command itself: it is the
# caller's child, and signals and job control work as usual. Each node has its own PID namespace; entering one
# forks.

# clean_environment HOME USER SHELL: sets the array `environment`.
clean_environment() {
  environment=(HOME="$1" USER="$2" LOGNAME="$2" SHELL="$3" SLURM_CONF="$state/etc/slurm.conf" LANG=C.UTF-8
    PATH="/usr/local/bin:/usr/bin:/bin:$state/prefix/bin")
  [[ ! -t 0 && ! -t 1 ]] || environment+=(TERM="${TERM:-dumb}")
}

cluster_exec() {
  local user=alice extra=() environment pid uid gid home shell
  while (($#)); do
    case $1 in
      --user) user=${2:?$(usage_error '--user needs a value')}; shift 2 ;;
      --user=*) user=${1#*=}; shift ;;
      --env) extra+=("${2:?$(usage_error '--env needs K=V')}"); shift 2 ;;
      --env=*) extra+=("${1#*=}"); shift ;;
      --) shift; break ;;
      -*) usage_error "exec: unknown option '$1'" ;;
      *) break ;;
    esac
  done
  (($#)) || usage_error "exec needs a command"
  need_root exec
  node_pid login
  find_account "$user"
  clean_environment "$home" "$user" "$shell"
  exec nsenter --target "$pid" --mount --uts --ipc --net -- \
    setpriv --reuid "$uid" --regid "$gid" --init-groups -- \
    env -i -C "$home" "${environment[@]}" "${extra[@]}" "$@"
}

cluster_node() {
  local name=${1:-} environment pid
  (($# >= 2)) || usage_error "node needs NAME CMD..."
  shift
  [[ $1 != -- ]] || shift
  need_root node
  node_pid "$name"
  clean_environment /root root /bin/bash
  environment+=(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$state/prefix/bin")
  local enter=(nsenter --target "$pid" --mount --uts --ipc --net)
  # The command must not outlive the nsenter that the caller sees.
  [[ $name == login ]] || enter+=(--pid -- setpriv --pdeathsig TERM)
  exec "${enter[@]}" -- env -i "${environment[@]}" "$@"
}

# shellcheck shell=bash
# What the cluster script says: help, progress, and errors of one line each (what: why; what to do).

say() { printf 'cluster: %s\n' "$*"; }

die() {
  printf 'cluster: %s\n' "$*" >&2
  exit 1
}

usage_error() {
  printf 'cluster: %s; see scripts/cluster help\n' "$*" >&2
  exit 2
}

cluster_help() {
  cat <<'TEXT'
usage: scripts/cluster [--name NAME] COMMAND ...      (as root; NAME is 'muster' or $MUSTER_CLUSTER)

  up [--nodes N]            start a cluster of N nodes (default 3): node1 .. nodeN, login, ctl
     [--names LIST]         or of nodes with these names: rack[0-1]node[02-03]-x
     [--cpus C]             CPUs that each node claims (default: this machine's, with task/affinity)
     [--gpus G]             fake GPUs of each node
     [--slurm-conf FILE]    more lines for slurm.conf; a key in FILE replaces ours, without a value removes it
     [--plugin optional|required|none]     how plugstack.conf loads muster (default optional)
     [--build DIR]          the build to install (default build/)
     [--without-plugin-on NAME[,NAME]]     nodes on which the plugin is not configured
     [--second-network IF[,IF]...]         a second network of the nodes alone; node1 has interface IF, node2 the next
     [--mgmt-isolated]      on the first network nodes reach login and ctl, but not each other
     [--loopback-names]     a host's own name leads to 127.0.1.1 there
     [--no-dns]             no host has a name but localhost: Slurm has numeric addresses
     [--ipv6]               no IPv4 at all
     [--suite SUITE] [--suite-packages LIST]   Slurm of that Debian suite, from a cached chroot
     [--timeout SECONDS]    how long to wait until every node is idle
  exec [--user U] [--env K=V]... [--] CMD...    CMD on the login node (alice; bob, carol and root exist too)
  node NAME CMD...          CMD inside a node (or ctl, login), as root
  install [--build DIR]     install the plugin again into the running cluster
  cut NAME, heal NAME       take a node off its networks and back: packets vanish, links stay up
  cut NAME OTHER, heal NAME OTHER           only what NAME sends to OTHER vanishes
  kill NAME slurmd|slurmstepd       SIGKILL to these processes of that node
  start NAME slurmd         start it again
  status                    what runs
  prefix                    the folder into which the plugin was installed, the same in all namespaces
  suite SUITE [--packages LIST] CMD...      CMD in that suite's chroot, in this checkout (to build for its Slurm)
  down                      stop and remove all of it, whatever state it is in
TEXT
}

# name_option: what a command line needs to mean this cluster.
name_option() { [[ $cluster == muster ]] || echo " --name $cluster"; }

need_root() {
  ((EUID == 0)) || die "$1 needs root: namespaces and several users are made; run it with sudo"
}

# need_command COMMAND PACKAGE
need_command() {
  [[ -n $(type -P "$1") ]] || die "command $1 is missing: Debian has it in package $2; run scripts/setup"
}

# wait_until SECONDS CONDITION...: polls CONDITION until it holds; fails at the deadline.
wait_until() {
  local deadline=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
  shift
  until "$@"; do
    ((${EPOCHREALTIME/[.,]/} < deadline)) || return 1
    sleep 0.05
  done
}

# whole_number WORD [MAX]
whole_number() { [[ $1 =~ ^[1-9][0-9]{0,4}$ ]] && (($1 <= ${2:-99999})); }

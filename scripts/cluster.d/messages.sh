# shellcheck shell=bash
# The cluster script's messages: help, progress, and errors of one line each (what: why; what to do).

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

  up [--nodes N]            start a cluster of N nodes (default 3): node1 to nodeN, login and ctl
     [--names LIST]         or of nodes with these names, for example rack[0-1]node[02-03]-x
     [--cpus C]             CPUs that each node claims (default: all of this machine's, with task/affinity)
     [--own-cpus]           pin each node's daemons and tasks to one CPU of this machine, in turn (Slurm binds nothing)
     [--gpus G]             fake GPUs per node
     [--sockets S]          Slurm sees S sockets per node, and a part of the GPUs near each socket (Cores= in gres.conf):
                            the first GPUs near the last socket
     [--cgroups v1]         Slurm tracks and confines steps with control groups (proctrack/cgroup, task/cgroup)
     [--slurm-conf FILE]    further lines for slurm.conf; a key in FILE replaces ours, or removes it if it has no value
     [--etc FOLDER]         further files for the folder of slurm.conf (cgroup.conf, a prolog, ...), replacing ours;
                            in them and in FILE, @STATE@ means the cluster's folder
     [--plugin optional|required|none]     how plugstack.conf loads muster (default optional)
     [--build DIR]          the build to install (default build/, with --suite build/suites/SUITE/build)
     [--shim FILE]          a muster.so only for the nodes, for example built with a sanitizer, which is preloaded there
     [--without-plugin-on NAME[,NAME]]     nodes on which the plugin is not configured
     [--configless]         nodes have no configuration files: slurmd fetches them from slurmctld (enable_configless),
                            and plugstack.conf loads muster itself instead of including a file that does
     [--second-network IF[,IF]...]         a second network for the nodes; the first IF is node1's, and so on
     [--mgmt-isolated]      on the first network, nodes reach login and ctl but not each other
     [--loopback-names]     on each host, its own name resolves to 127.0.1.1
     [--no-dns]             only localhost resolves; Slurm uses numeric addresses
     [--ipv6]               IPv6 only
     [--mode MODE[+MODE]]   a way to run Slurm (docs/admin/slurm-modes.md): stepmgr, expedite, auth-slurm, block, tree,
                            namespace; all need a newer Slurm than Debian 12's (--suite forky)
     [--suite SUITE]        Slurm of that Debian release (scripts/suite SUITE builds the plugin for it)
     [--timeout SECONDS]    how long to wait until every node is idle
  exec [--user U] [--env K=V]... [--] CMD...    run CMD on the login node (as alice; or bob, carol, root)
  node NAME CMD...          run CMD on a node (or ctl, login), as root
  install [--build DIR]     install the plugin again into the running cluster
  cut NAME, heal NAME       cut a node off its networks, and undo it: packets are dropped, links stay up
  cut NAME OTHER, heal NAME OTHER           drop only what NAME sends to OTHER, and undo it
  kill NAME slurmd|slurmstepd       send SIGKILL to these processes of that node
  start NAME slurmd         start it again (or: start ctl slurmctld)
  status                    show what is running
  prefix                    print the folder where the plugin is installed (the same on all nodes)
  suite SUITE [CMD...]      make the chroot of that Debian release, and run CMD inside it, in this checkout
  check                     check whether this machine can run a cluster, before installing or building anything
  down                      stop the cluster and remove everything, whatever its state
TEXT
}

# name_option: the option that selects this cluster on a command line.
name_option() { [[ $cluster == muster ]] || echo " --name $cluster"; }

need_root() {
  ((EUID == 0)) || die "$1 needs root, as it makes namespaces and users; run it with sudo"
}

# need_command COMMAND PACKAGE
need_command() {
  [[ -n $(type -P "$1") ]] ||
    die "command $1 is missing; it is in Debian's package $2; run scripts/setup --with=cluster"
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

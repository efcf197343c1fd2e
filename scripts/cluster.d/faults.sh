# shellcheck shell=bash
# Faults on purpose: a node off the network, daemons killed.

cluster_cut() {
  (($# == 1)) || usage_error "cut: wants NODE"
  need_root cut
  holder_pid "$1"
  # Out of the bridge rather than down: the node still sees a carrier, its packets just go nowhere.
  set_port "$1" nomaster
}

cluster_heal() {
  (($# == 1)) || usage_error "heal: wants NODE"
  need_root heal
  holder_pid "$1"
  set_port "$1" master br0
}

cluster_kill() {
  [[ $# == 2 && $1 != @(ctl|login) && $2 == @(slurmd|slurmstepd) ]] || usage_error "kill: wants NODE slurmd|slurmstepd"
  need_root kill
  local pid count
  holder_pid "$1"
  count=$(signal_named "$pid" KILL "$2")
  ((count > 0)) || die "no $2 runs on $1; scripts/cluster status tells the nodes' states"
  say "killed $count $2 on $1"
}

# shellcheck shell=bash
# Deliberate faults: a node off the network, daemons killed.

cluster_cut() {
  (($# == 1 || $# == 2)) || usage_error "cut needs NODE [OTHER]"
  need_root cut
  local network pid
  node_pid "$1"
  for network in $(networks "$1"); do
    if (($# == 2)); then
      send_to "$1" "$2" "$network" "$unused_mac"
    else
      # Removes the port from the bridge instead of setting it down: the node still sees a carrier, but its packets are
      # dropped.
      set_port "$(port_of "$1" "$network")" nomaster
    fi
  done
}

cluster_heal() {
  (($# == 1 || $# == 2)) || usage_error "heal needs NODE [OTHER]"
  need_root heal
  local network pid
  node_pid "$1"
  for network in $(networks "$1"); do
    if (($# == 2)); then
      send_to "$1" "$2" "$network" "$(mac_towards "$1" "$2" "$network")"
    else
      set_port "$(port_of "$1" "$network")" master "br$((network - 1))"
    fi
  done
}

# send_to NODE OTHER NETWORK MAC: makes NODE send its packets for OTHER to MAC; the other direction does not change.
send_to() {
  local pid
  node_pid "$2"
  [[ -n $(interface_of "$2" "$3") ]] || return 0
  node_pid "$1"
  neighbour_command "$@" | nsenter --target "$pid" --net ip -batch -
}

cluster_kill() {
  [[ $# == 2 && $1 != @(ctl|login) && $2 == @(slurmd|slurmstepd) ]] || usage_error "kill needs NODE slurmd|slurmstepd"
  need_root kill
  local pid count
  node_pid "$1"
  count=$(signal_named "$pid" KILL "$2")
  ((count > 0)) || die "no $2 runs on $1; scripts/cluster$(name_option) status shows the nodes' states"
  say "killed $count $2 on $1"
}

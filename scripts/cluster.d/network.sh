# shellcheck shell=bash
# The cluster's network: a bridge in cluster-init's network namespace and one veth pair per node. It is
# invisible from outside.

# subnet: the first three bytes of the addresses. They differ between clusters, so that logs can be told apart.
subnet() {
  local hash=7 i
  for ((i = 0; i < ${#cluster}; i++)); do
    printf -v code '%d' "'${cluster:i:1}"
    hash=$(((hash * 31 + code) % 40000))
  done
  echo "10.$((16 + hash % 200)).$((hash / 200))"
}

# The nodes' names, if `up --names` has set names other than node1 to nodeN.
node_names=()

# names_in LIST: expands a list such as rack[0-1]node[02-03]-x,other, one name per line. A bracket holds one range.
names_in() {
  local braces item
  [[ $1 =~ ^[a-z][a-z0-9,[:punct:]]*$ && $1 != *[!a-z0-9,[\]-]* ]] || return 1
  braces=$(sed -E 's/\[([0-9]+)-([0-9]+)\]/{\1..\2}/g' <<<"$1")
  [[ $braces != *[][]* ]] || return 1
  for item in ${braces//,/ }; do eval "printf '%s\n' $item"; done
}

# hosts NODES: all host names of the cluster, one per line.
hosts() {
  local i
  printf '%s\n' ctl login "${node_names[@]}"
  ((${#node_names[@]} == 0)) || return 0
  for ((i = 1; i <= $1; i++)); do echo "node$i"; done
}

is_node() { [[ $1 != ctl && $1 != login ]]; }

# host_number NAME: the last byte of its address.
host_number() {
  local i
  case $1 in
    ctl) echo 1 ;;
    login) echo 2 ;;
    *)
      for ((i = 0; i < ${#node_names[@]}; i++)); do
        [[ ${node_names[i]} != "$1" ]] || { echo $((11 + i)) && return; }
      done
      echo $((10 + ${1#node}))
      ;;
  esac
}

# Network 1 is eth0 of every host, on bridge br0. Network 2 is optional and joins only the nodes, on bridge br1; its
# interface name may differ between nodes. IPv6 clusters have only IPv6 addresses.

# network_prefix NETWORK: the part that all its addresses begin with.
network_prefix() {
  local net a b c
  net=$(subnet)
  IFS=. read -r a b c <<<"$net"
  if [[ -e $state/ipv6 ]]; then
    printf 'fd6d:7573:%x:%x::' $((a * b)) $(($1 * 256 + c))
  else
    (($1 == 1)) && echo "$net." || echo "172.$((16 + b % 16)).$c."
  fi
}

# address_of NAME NETWORK
address_of() { echo "$(network_prefix "$2")$(host_number "$1")"; }

# interface_of NAME NETWORK: prints nothing if the host is not on that network.
interface_of() {
  local names=()
  if (($2 == 1)); then echo eth0; return; fi
  { is_node "$1" && [[ -s $state/second ]]; } || return 0
  IFS=, read -ra names <"$state/second"
  ((${#names[@]} == 0)) || echo "${names[$((($(host_number "$1") - 11) % ${#names[@]}))]}"
}

# port_of NAME NETWORK: the bridge's end of a host's link.
port_of() { (($2 == 1)) && echo "$1" || echo "$1s"; }

mac_address() { printf '02:6d:75:73:%02x:%02x' "$2" "$(host_number "$1")"; }
readonly unused_mac=02:6d:75:73:ff:ff

# networks NAME: the networks that a host is on.
networks() {
  echo 1
  [[ -z $(interface_of "$1" 2) ]] || echo 2
}

# write_hosts_file NODES: with --loopback-names, also writes a file for each host in which its own name resolves to
# 127.0.1.1.
write_hosts_file() {
  local name own
  {
    printf '%s\n' '127.0.0.1 localhost' '::1 localhost ip6-localhost ip6-loopback'
    [[ -e $state/no-dns ]] || for name in $(hosts "$1"); do echo "$(address_of "$name" 1) $name"; done
  } >"$state/host/hosts"
  [[ -e $state/loopback-names ]] || return 0
  for own in $(hosts "$1"); do
    [[ $own == ctl ]] || sed "s/^.* $own\$/127.0.1.1 $own/" "$state/host/hosts" >"$state/host/hosts.$own"
  done
}

# bridge_commands NODES: the `ip` commands for cluster-init's namespace.
bridge_commands() {
  local name pid network port
  echo 'link set lo up'
  for network in 1 2; do
    printf '%s\n' "link add br$((network - 1)) type bridge" "link set br$((network - 1)) up"
  done
  for name in $(hosts "$1"); do
    read -r pid <"$state/pid/$name"
    for network in $(networks "$name"); do
      port=$(port_of "$name" "$network")
      echo "link add $port type veth peer name $(interface_of "$name" "$network") address $(mac_address "$name" "$network") netns $pid"
      echo "link set $port master br$((network - 1)) up"
    done
  done
}

# mac_towards NAME OTHER NETWORK: the MAC to which NAME sends its packets for OTHER; the unused MAC if that path is cut.
mac_towards() {
  if [[ -e $state/isolated && $3 == 1 ]] && is_node "$1" && is_node "$2"; then
    echo "$unused_mac"
  else
    mac_address "$2" "$3"
  fi
}

# neighbour_command NAME OTHER NETWORK MAC: makes NAME send its packets for OTHER to MAC.
neighbour_command() {
  echo "neigh replace $(address_of "$2" "$3") lladdr $4 dev $(interface_of "$1" "$3") nud permanent"
}

# neighbour_commands NAME NODES: gives every node a permanent entry for the MAC of every other node. Without this, a
# node that is cut off would fail to resolve its peers within three seconds ("No route to host") instead of waiting for
# packets that never come, as on a broken fabric. Nodes that are isolated from each other get an unused MAC instead.
neighbour_commands() {
  local name network
  for name in $(hosts "$2"); do
    for network in $(networks "$1"); do
      [[ -n $(interface_of "$name" "$network") ]] || continue
      neighbour_command "$1" "$name" "$network" "$(mac_towards "$1" "$name" "$network")"
    done
  done
}

address_commands() {
  local network interface length=24
  [[ ! -e $state/ipv6 ]] || length='64 nodad'
  echo "link set lo up"
  for network in $(networks "$1"); do
    interface=$(interface_of "$1" "$network")
    echo "addr add $(address_of "$1" "$network")/$length dev $interface"
    echo "link set $interface up"
  done
}

connect_nodes() {
  local name pid
  read -r pid <"$state/pid/cluster-init"
  bridge_commands "$1" | nsenter --target "$pid" --net ip -batch - ||
    die "the kernel refuses bridge or veth links; load its modules bridge and veth"
  for name in $(hosts "$1"); do
    read -r pid <"$state/pid/$name"
    { address_commands "$name"; neighbour_commands "$name" "$1"; } | nsenter --target "$pid" --net ip -batch -
  done
}

# set_port PORT ARGS...: changes the bridge's end of a node's link.
set_port() {
  local name=$1 pid
  shift
  read -r pid <"$state/pid/cluster-init"
  nsenter --target "$pid" --net ip link set "$name" "$@"
}

# cut_nodes: the names of the nodes that are cut off from the network.
cut_nodes() {
  local pid
  read -r pid <"$state/pid/cluster-init"
  nsenter --target "$pid" --net ip -o link show type veth nomaster | awk -F '[ :@]+' '{ print $2 }'
}

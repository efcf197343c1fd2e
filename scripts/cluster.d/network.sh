# shellcheck shell=bash
# The cluster's network: a bridge in the keeper's network namespace and one veth pair per node. Nothing of it
# is visible outside.

# subnet: the first three bytes of the addresses; they differ between clusters so that logs can be told apart.
subnet() {
  local hash=7 i
  for ((i = 0; i < ${#cluster}; i++)); do
    printf -v code '%d' "'${cluster:i:1}"
    hash=$(((hash * 31 + code) % 40000))
  done
  echo "10.$((16 + hash % 200)).$((hash / 200))"
}

# The nodes' names, where `up --names` gives them others than node1 .. nodeN.
node_names=()

# names_in LIST: the names of rack[0-1]node[02-03]-x,other, one a line. A bracket holds one range.
names_in() {
  local braces item
  [[ $1 =~ ^[a-z][a-z0-9,[:punct:]]*$ && $1 != *[!a-z0-9,[\]-]* ]] || return 1
  braces=$(sed -E 's/\[([0-9]+)-([0-9]+)\]/{\1..\2}/g' <<<"$1")
  [[ $braces != *[][]* ]] || return 1
  for item in ${braces//,/ }; do eval "printf '%s\n' $item"; done
}

# hosts NODES: all host names of the cluster, one a line.
hosts() {
  local i
  printf '%s\n' ctl login "${node_names[@]}"
  ((${#node_names[@]} == 0)) || return 0
  for ((i = 1; i <= $1; i++)); do echo "node$i"; done
}

is_node() { [[ $1 != ctl && $1 != login ]]; }

# host_number NAME: last byte of its address.
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

mac_address() { printf '02:6d:75:73:00:%02x' "$1"; }

write_hosts_file() {
  local net name
  net=$(subnet)
  {
    printf '%s\n' '127.0.0.1 localhost' '::1 localhost ip6-localhost ip6-loopback'
    for name in $(hosts "$1"); do echo "$net.$(host_number "$name") $name"; done
  } >"$state/host/hosts"
}

# bridge_commands NODES: what `ip` does in the keeper's namespace.
bridge_commands() {
  local name pid
  printf '%s\n' 'link set lo up' 'link add br0 type bridge' 'link set br0 up'
  for name in $(hosts "$1"); do
    read -r pid <"$state/pid/$name"
    echo "link add $name type veth peer name eth0 address $(mac_address "$(host_number "$name")") netns $pid"
    echo "link set $name master br0 up"
  done
}

# neighbour_commands NODES: every node knows every other's MAC for good. Without this a node that is cut off
# would fail to resolve its peers in three seconds ("No route to host") instead of waiting for packets that
# never come, which is what a broken fabric looks like.
neighbour_commands() {
  local net name number
  net=$(subnet)
  for name in $(hosts "$1"); do
    number=$(host_number "$name")
    echo "neigh replace $net.$number lladdr $(mac_address "$number") dev eth0 nud permanent"
  done
}

address_commands() {
  echo "link set lo up"
  echo "addr add $(subnet).$(host_number "$1")/24 broadcast + dev eth0"
  echo "link set eth0 up"
}

connect_nodes() {
  local name pid neighbours
  read -r pid <"$state/pid/keeper"
  bridge_commands "$1" | nsenter --target "$pid" --net ip -batch - ||
    die "no bridge or veth links: the kernel refuses them; load its modules bridge and veth"
  neighbours=$(neighbour_commands "$1")
  for name in $(hosts "$1"); do
    read -r pid <"$state/pid/$name"
    { address_commands "$name"; echo "$neighbours"; } | nsenter --target "$pid" --net ip -batch -
  done
}

# set_port NAME ARGS...: changes the bridge's end of a node's link.
set_port() {
  local name=$1 pid
  shift
  read -r pid <"$state/pid/keeper"
  nsenter --target "$pid" --net ip link set "$name" "$@"
}

# cut_nodes: names of the nodes that are off the network.
cut_nodes() {
  local pid
  read -r pid <"$state/pid/keeper"
  nsenter --target "$pid" --net ip -o link show type veth nomaster | awk -F '[ :@]+' '{ print $2 }'
}

# shellcheck shell=bash
# Brings a cluster up, and shows its status.

cluster_up() {
  local nodes=3 claimed=0 gpus=0 sockets=0 cgroups='' extra='' etc='' plugin=optional build='' without=''
  local timeout='' start_timeout suite='' suite_root='' names_list='' second='' shim='' traits=() modes=()
  while (($#)); do
    local option=$1 value
    case $option in
      --mgmt-isolated | --loopback-names | --no-dns | --ipv6 | --own-cpus | --configless) traits+=("${option#--}"); shift; continue ;;
      --*=*) value=${option#*=} option=${option%%=*}; shift ;;
      --*) (($# > 1)) || usage_error "up: $option needs a value"; value=$2; shift 2 ;;
      *) usage_error "up: unknown argument '$option'" ;;
    esac
    case $option in
      --nodes) nodes=$value ;;
      --names) names_list=$value ;;
      --cpus) claimed=$value ;;
      --gpus) gpus=$value ;;
      --sockets) sockets=$value ;;
      --cgroups) cgroups=$value ;;
      --slurm-conf) extra=$value ;;
      --etc) etc=$value ;;
      --plugin) plugin=$value ;;
      --build) build=$value ;;
      --shim) shim=$value ;;
      --without-plugin-on) without=$value ;;
      --second-network) second=$value ;;
      --suite) suite=$value ;;
      --mode) take_modes "$value" ;;
      --timeout) timeout=$value ;;
      *) usage_error "up: unknown option '$option'" ;;
    esac
  done
  check_up_options
  need_root up
  need_commands
  need_namespaces
  need_free_name
  if [[ -n $suite ]]; then
    prepare_suite "$suite"
    suite_root=$(suite_root "$suite")
  fi
  make_state
  trap 'on_up_end' EXIT
  trap 'exit 130' INT TERM HUP
  lock_state
  prepare_files
  start_namespaces
  start_slurm
  leash_off
  trap - EXIT
  summary
}

# The functions below are the sections of cluster_up and use its options.

check_up_options() {
  [[ -z $names_list ]] || take_names
  whole_number "$nodes" 200 || usage_error "up: --nodes '$nodes' is not a number from 1 to 200"
  [[ $claimed == 0 ]] || whole_number "$claimed" || usage_error "up: --cpus '$claimed' is not a number above 0"
  [[ $gpus == 0 ]] || whole_number "$gpus" 64 || usage_error "up: --gpus '$gpus' is not a number up to 64"
  [[ $sockets == 0 ]] || whole_number "$sockets" || usage_error "up: --sockets '$sockets' is not a number above 0"
  [[ $sockets == 0 || $claimed == 0 ]] || usage_error "up: --sockets and --cpus: made-up sockets have this machine's CPUs"
  ((sockets == 0 || $(nproc) % sockets == 0)) || die "this machine's $(nproc) CPUs do not divide into $sockets sockets"
  [[ -z $cgroups || $cgroups == v1 ]] || usage_error "up: --cgroups is v1, not '$cgroups'"
  [[ -z $cgroups || -d /sys/fs/cgroup/freezer ]] || die "this machine has no cgroup v1 freezer in /sys/fs/cgroup; --cgroups v1 needs it"
  [[ -z $timeout ]] || whole_number "$timeout" || usage_error "up: --timeout '$timeout' is not a number of seconds"
  [[ -z $extra || -r $extra ]] || die "cannot read $extra, the file of --slurm-conf"
  [[ -z $etc || -d $etc ]] || die "cannot find $etc, the folder of --etc"
  [[ $plugin == @(optional|required|none) ]] || usage_error "up: --plugin is optional, required or none, not '$plugin'"
  [[ -n $build ]] || build=${suite:+$suites/$suite/build}
  build=${build:-$checkout/build}
  [[ $plugin == none ]] || need_build "$build"
  [[ -z $shim || -r $shim && $plugin != none ]] || die "cannot read $shim, the plugin of --shim"
  [[ -z $second || $second =~ ^[a-z][a-z0-9]{0,14}(,[a-z][a-z0-9]{0,14})*$ ]] ||
    usage_error "up: --second-network '$second' is not a list of interface names"
  check_node_names
  [[ -z $without || ${traits[*]} != *configless* ]] ||
    usage_error "up: --without-plugin-on and --configless: all nodes get one plugstack.conf"
  timeout=${timeout:-$((60 + 2 * nodes))}
  start_timeout=$((timeout > 150 ? timeout / 5 : 30)) # for a first sign of life, which takes longer under qemu-user
}

take_names() {
  local name
  mapfile -t node_names < <(names_in "$names_list")
  ((${#node_names[@]})) || usage_error "up: --names '$names_list' is not a list such as rack[0-1]node[02-03]-x,other"
  for name in "${node_names[@]}"; do
    ((${#name} <= 15)) || usage_error "up: --names: $name is longer than 15 letters, the limit of a network link's name"
    [[ $name != @(ctl|login|cluster-init) ]] || usage_error "up: --names: the name $name is reserved"
  done
  nodes=${#node_names[@]}
}

check_node_names() {
  local name
  for name in ${without//,/ }; do
    hosts "$nodes" | grep -q -x -F -- "$name" || usage_error "up: --without-plugin-on names '$name', which is not a host of the cluster"
  done
}

need_commands() {
  need_command ip iproute2
  need_command nsenter util-linux
  need_command setpriv util-linux
  [[ -n $suite ]] && return
  need_command munged munge
  need_command slurmctld slurmctld
  need_command slurmd slurmd
  need_command srun slurm-client
  [[ $plugin == none ]] || need_command cmake cmake
}

# need_free_name: removes what a crash left behind, and leaves a running cluster alone.
need_free_name() {
  [[ ! -d $state ]] || lock_state # another `up` may be using it
  if [[ -f $state/up && -n $(tagged_pids) ]]; then
    die "cluster $cluster is already up; run scripts/cluster$(name_option) down first"
  fi
  clear_cluster
}

prepare_files() {
  echo "$nodes" >"$state/nodes"
  cp "$parts/node-init" "$state/node-init"
  [[ -z $suite ]] || mkdir -p "$state"/suite/{root,upper,work}
  write_accounts "$suite_root"
  write_network
  write_hosts_file "$nodes"
  ((sockets == 0)) || echo "$sockets" >"$state/sockets"
  write_modes "${modes[@]}"
  write_slurm_conf "$nodes" "$claimed" "$gpus" "$cgroups" "$extra"
  write_mode_files "$nodes"
  [[ -z $etc ]] || add_conf_files "$etc"
  [[ $plugin == none ]] || install_files "$build"
  write_plugstack "$plugin"
  [[ -z $shim ]] || install_shim "$shim"
}

# write_network: writes what the other parts and later commands need to know about the network.
write_network() {
  local trait
  echo "$second" >"$state/second"
  for trait in "${traits[@]}"; do : >"$state/${trait#mgmt-}"; done
}

start_namespaces() {
  local names pinned
  mapfile -t names < <(hosts "$nodes")
  mapfile -t pinned < <(one_cpu)
  exec {leash}> >(
    cd /
    exec >>"$state/log/cluster-init.log" 2>&1
    close_other_fds
    exec setsid "${pinned[@]}" unshare --mount --uts --ipc --net --pid --fork --kill-child \
      bash "$parts/cluster-init" "$state" "$tag" "$without" "$suite_root" "${names[@]}"
  )
  init_pid=$!
  echo go >&"$leash"
  wait_until "$start_timeout" namespaces_settled || die "namespaces were not ready within $start_timeout s; see the log lines below"
  [[ -z $(missing_namespaces) ]] || die "this machine refuses namespaces: $(tail -n 1 "$state/log/cluster-init.log"); run it on a virtual machine, or in a container with --privileged"
  connect_nodes "$nodes"
}

missing_namespaces() {
  local name
  for name in cluster-init $(hosts "$nodes"); do
    [[ -s $state/pid/$name ]] || echo "$name"
  done
}

namespaces_settled() { [[ -z $(missing_namespaces) ]] || ! kill -0 "$init_pid" 2>/dev/null; }

start_slurm() {
  local name
  in_mode auth-slurm || start_munged || die "munged did not start"
  start_slurmctld || die "slurmctld did not start"
  wait_until "$start_timeout" controller_answers || die "slurmctld did not answer within $start_timeout s"
  for name in $(hosts "$nodes"); do
    ! is_node "$name" || start_slurmd "$name" || die "slurmd on $name did not start"
  done
  wait_until "$timeout" all_idle || die "not all nodes became idle within $timeout s: $(node_states | tr '\n' ' ')"
}

# on_login CMD...: runs CMD as root on the login node and discards its errors.
on_login() { (cluster_exec --user root -- "$@") 2>/dev/null; }

controller_answers() { [[ $(on_login scontrol ping) == *UP* ]]; }

node_states() { on_login sinfo -h -o '%D %t'; }

all_idle() { [[ $(node_states) == "$nodes idle" ]]; }

# leash_off: from now on the cluster outlives this process.
leash_off() {
  : >"$state/up"
  echo stay >&"$leash"
  exec {leash}>&-
}

# on_up_end: runs if `up` fails or is interrupted.
on_up_end() {
  local status=$?
  trap '' INT TERM HUP
  ((status == 130)) || show_logs >&2
  clear_cluster
  exit "$status"
}

# show_logs: the last lines of each log, which may explain the failure.
show_logs() {
  local log
  for log in "$state"/log/*.out "$state"/log/{cluster-init,slurmctld,slurmd.*}.log; do
    [[ -s $log ]] || continue
    echo "--- ${log##*/}"
    tail -n 6 "$log"
  done
}

summary() {
  say "cluster $cluster is up: $nodes nodes (${node_names[*]:-node1 to node$nodes}), login and ctl on $(subnet).0/24, plugin $plugin"
  say "try: scripts/cluster$(name_option) exec -- srun -N$nodes hostname      stop it: scripts/cluster$(name_option) down"
}

cluster_status() {
  need_root status
  if [[ ! -d $state ]]; then
    say "cluster $cluster is not up"
    return 3 # the code an init script returns
  fi
  node_pid login
  say "cluster $cluster: files in $state, network $(subnet).0/24"
  say "plugin: $(cat "$(plugstack_file)")"
  say "off the network: $(cut_nodes | tr '\n' ' ')"
  on_login timeout 10 sinfo -N -o '%N %t %C %G' || die "slurmctld does not answer; see $state/log/slurmctld.log"
}

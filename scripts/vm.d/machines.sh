# shellcheck shell=bash
# The machines themselves: one qemu per machine.

readonly state=/run/muster-vm
readonly lan_group=230.0.0.77:7777 # a multicast group, which never leaves this machine's loopback interface

# is_running N: whether the process of machine N is ours and still lives.
is_running() {
  local pid
  pid=$(cat "$state/vm$1.pid" 2>/dev/null) || return 1
  grep -qsF "$state/vm$1.monitor" "/proc/$pid/cmdline"
}

need_machine() {
  [[ $1 == [12] ]] || usage_error "'$1' is not a machine: 1 or 2"
  is_running "$1" || die "vm$1 is not running; run scripts/vm up"
}

vm_up() {
  local build=$checkout/build count=1 cpus='' memory=2560 timeout=900 place machine
  while (($#)); do
    case $1 in
      --build) build=${2:?$(usage_error '--build needs a folder')} ;;
      --machines) count=${2:?$(usage_error '--machines needs a number')} ;;
      --cpus) cpus=${2:?$(usage_error '--cpus needs a number')} ;;
      --memory) memory=${2:?$(usage_error '--memory needs a number')} ;;
      --timeout) timeout=${2:?$(usage_error '--timeout needs a number')} ;;
      *) usage_error "up: unknown argument '$1'" ;;
    esac
    shift 2
  done
  need_root up
  [[ $count == [12] ]] || usage_error "--machines is 1 or 2"
  cpus=${cpus:-$((count == 1 ? 4 : 2))}
  [[ $cpus =~ ^[1-9][0-9]?$ && $((cpus % 2)) == 0 ]] || usage_error "--cpus is an even number: the CPUs are in two NUMA nodes"
  need_command qemu-system-x86_64 qemu-system-x86
  need_command socat socat
  place=$(cd "$build" 2>/dev/null && pwd -P)/vm/$suite
  [[ -f $place/disk ]] || die "there is no disk of Debian $suite in $build/vm; run scripts/vm --suite $suite build"
  mkdir -m 0700 "$state" 2>/dev/null || die "$state exists: machines are running, or an earlier run died; run scripts/vm down"
  cp "$place/key" "$state/key"
  trap 'vm_down >/dev/null' EXIT # until everything is up
  for ((machine = 1; machine <= count; machine++)); do start_machine "$machine"; done
  for ((machine = 1; machine <= count; machine++)); do
    wait_until "$timeout" answers "$machine" ||
      die "vm$machine does not answer after $timeout s; its last lines: $(tail -n 5 "$state/vm$machine.console")"
  done
  wait_until "$timeout" all_idle "$count" ||
    die "Slurm's nodes are not idle after $timeout s: $( (vm_run -- sinfo -N -o '%N %t %E') 2>&1 | tail -n +2 | tr '\n' ';')"
  trap - EXIT
  say "$count machine(s) up after $SECONDS s"
}

# free_port: a TCP port of the loopback interface that nobody uses and no machine has got.
free_port() {
  local port
  for ((port = 22022; port < 22122; port++)); do
    ! grep -qsx "$port" "$state"/vm*.port || continue
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue
    echo "$port"
    return
  done
  die "no port from 22022 to 22121 is free for ssh"
}

# start_machine N: two sockets, each with a NUMA node. The network between the machines hangs on a PCI bridge of the
# second node. ssh comes through a network that leads nowhere else and has the same address on both machines.
start_machine() {
  local name=vm$1 port half=$((memory / 2)) cores=$((cpus / 2))
  port=$(free_port)
  echo "$port" >"$state/$name.port"
  qemu-system-x86_64 -name "$name" -machine q35 -accel tcg,thread=multi,tb-size=256 -cpu max \
    -smp "$cpus,sockets=2,cores=$cores" -m "$((2 * half))M" \
    -object "memory-backend-ram,id=ram0,size=${half}M" -object "memory-backend-ram,id=ram1,size=${half}M" \
    -numa "node,nodeid=0,memdev=ram0,cpus=0-$((cores - 1))" -numa "node,nodeid=1,memdev=ram1,cpus=$cores-$((cpus - 1))" \
    -numa dist,src=0,dst=1,val=21 \
    -kernel "$place/kernel" -initrd "$place/initrd" \
    -append "root=/dev/vda rw console=ttyS0 quiet systemd.hostname=$name lab.machines=$count" \
    -drive "file=$place/disk,format=raw,if=none,id=disk,snapshot=on,cache=unsafe" -device virtio-blk-pci,drive=disk,bus=pcie.0 \
    -netdev "user,id=mgmt,restrict=on,hostfwd=tcp:127.0.0.1:$port-:22" \
    -device "virtio-net-pci,netdev=mgmt,bus=pcie.0,mac=52:54:00:02:00:0$1" \
    -device pxb-pcie,id=far,bus=pcie.0,bus_nr=64,numa_node=1 -device pcie-root-port,id=farport,bus=far,chassis=1 \
    -netdev "socket,id=lan,mcast=$lan_group,localaddr=127.0.0.1" \
    -device "e1000e,netdev=lan,bus=farport,mac=52:54:00:77:00:0$1" \
    -device virtio-rng-pci,bus=pcie.0 -display none -vga none -serial "file:$state/$name.console" \
    -monitor "unix:$state/$name.monitor,server=on,wait=off" -daemonize -pidfile "$state/$name.pid"
}

answers() { is_running "$1" && (vm_run --machine "$1" -- true) 2>/dev/null; }

all_idle() { [[ $( (vm_run -- sinfo -h -N -t idle -o %N) 2>/dev/null | sort -u | wc -l) == "$1" ]]; }

vm_monitor() {
  (($# >= 2)) || usage_error "monitor needs N WORD..."
  need_machine "$1"
  local machine=$1
  shift
  # The monitor echoes what it reads, so only the lines between the echo and the next prompt are the answer.
  echo "$*" | socat -t 1 - "UNIX-CONNECT:$state/vm$machine.monitor" | tr -d '\r' | grep -v -e '^QEMU ' -e '(qemu)' || true
}

vm_status() {
  local machine
  for machine in 1 2; do
    if is_running "$machine"; then
      say "vm$machine runs, process $(cat "$state/vm$machine.pid"), ssh on port $(cat "$state/vm$machine.port")"
    fi
  done
}

vm_down() {
  local machine pid
  [[ -d $state ]] || { say "nothing to stop"; return; }
  end_logins
  for machine in 1 2; do
    is_running "$machine" || continue
    pid=$(cat "$state/vm$machine.pid")
    kill -KILL "$pid"
    wait_until 20 eval "! is_running $machine" || die "process $pid of vm$machine does not end; run down again later"
  done
  rm -rf "$state"
  say "stopped"
}

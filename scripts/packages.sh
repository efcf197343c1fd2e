# shellcheck shell=bash disable=SC2034  # sourced by scripts/setup, which reads the arrays by name
# Every Debian package that muster needs, by purpose.

packages_build=(
  build-essential cmake ninja-build pkg-config
  libslurm-dev libpmix-dev libhwloc-dev libyaml-cpp-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libasio-dev libsodium-dev libpugixml-dev
)

# A real Slurm on one machine: scripts/cluster.
packages_cluster=(
  slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libpmix2
  libpmix-dev # Debian 12's mpi_pmix.so opens libpmix.so when slurmd starts
  iproute2 util-linux procps
)

# For the cluster's first training job.
packages_training=(python3 python3-torch python3-numpy)

# Real frameworks: Python environments, made by scripts/frameworks, and Debian's MPI.
packages_frameworks=(python3-venv python3-dev python3-mpi4py openmpi-bin libopenmpi-dev)

packages_tests=(
  libgtest-dev libgmock-dev python3-pytest python3-pytest-xdist python3-venv strace shellcheck clang-format git
  hwloc-nox numactl mandoc bash-completion zsh fish ccache python3-pyte
  openmpi-bin # to compare mpirun with muster
  netbase # /etc/protocols, for `ip rule ... ipproto tcp`
  shfmt # for tests/live/called_programs.py
)

# The Slurm of other Debian releases, for `scripts/test --suite` and `scripts/cluster up --suite`. The groups build,
# cluster and training are installed in the release's chroot as well.
packages_suites=(mmdebstrap)
packages_in_suite=(python3-mpi4py openmpi-bin hwloc-nox numactl file)
packages_in_arm64=(libgtest-dev libgmock-dev python3-pytest rpm) # the unit tests run there, and cpack packs there
# A whole machine with its own kernel, for scripts/vm: what boots, what a node of a site has, and what muster's packages
# need, because the machine has no network to fetch it from.
packages_in_machine=(
  linux-image-amd64 systemd-sysv dbus libpam-systemd initramfs-tools zstd udev kmod openssh-server
  libpam-slurm-adopt apparmor rdma-core ibverbs-utils
  python3 gcc libc6-dev hwloc-nox numactl libsodium23 elfutils
  libslurm-dev # its headers, for which the plugin is built
)

packages_bare=(python3-venv) # and nothing more, because the wheel is tested there (packaging/check)

# To build for arm64 and to run what was built: scripts/suite SUITE-arm64, scripts/test --arm64.
packages_arm64=(mmdebstrap)
# An arm64 machine's own compiler has the cross compiler's name, and Debian has no cross compiler for it.
[[ $(uname -m) == aarch64 ]] || packages_arm64+=(g++-aarch64-linux-gnu qemu-user-static)

# clang with libFuzzer, which `scripts/fuzz` needs.
packages_fuzz=(clang-16 libclang-rt-16-dev)

packages_lint=(clang-tidy)

packages_bench=(libbenchmark-dev python3-matplotlib)

# Real kernels in qemu: scripts/vm.
packages_vm=(qemu-system-x86 qemu-utils socat openssh-client mmdebstrap e2fsprogs)

# python3-venv: for zig, which pip installs (packaging/requirements.txt).
packages_packaging=(dpkg-dev rpm file python3-venv)

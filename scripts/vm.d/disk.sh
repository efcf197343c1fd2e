# shellcheck shell=bash
# The machines' disk: the release's root, with muster's packages, the files of vm.d/guest and a key for ssh on top.

vm_build() {
  local build=$checkout/build programs=no
  while (($#)); do
    case $1 in
      --build) build=${2:?$(usage_error '--build needs a folder')}; shift 2 ;;
      --programs) programs=yes; shift ;;
      *) usage_error "build: unknown argument '$1'" ;;
    esac
  done
  need_root build
  need_command mmdebstrap mmdebstrap
  need_command mke2fs e2fsprogs
  need_command ssh-keygen openssh-client
  mkdir -p "$build"
  build=$(cd "$build" && pwd -P)
  export MUSTER_SUITES=$build/suites
  "$here/cluster" suite "$suite-machine"
  local common plugin files
  make_packages "$build" "$programs"
  files=$(chosen_packages)
  place=$build/vm/$suite
  rm -rf --one-file-system "$place"
  mkdir -p "$place"
  ssh-keygen -q -t ed25519 -N '' -C muster-vm -f "$place/key"
  # The overlay and its mounts are in their own namespaces, which end with the command.
  export suite place checkout parts
  # shellcheck disable=SC2086 # several files
  unshare --mount --pid --fork --kill-child -- "$parts/make-disk" "$build/suites/$suite-machine/root" "$place" $files
  say "made $place/disk, $(du -h "$place/disk" | cut -f1)"
}

#!/usr/bin/env bash
# Installs the Neuron driver, runtime, collectives and tools, from the pinned packages of the asset "neuron", and checks
# that the driver shows devices. ParallelCluster's images have none of it.
#
# aws-neuronx-dkms compiles the driver for the running kernel, so the kernel's headers have to be there.
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/setup/index.html
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

ATTEMPTS=10

check_kernel_headers() {
  local kernel
  kernel=$(uname -r)
  [[ -e $ROOT/lib/modules/$kernel/build ]] ||
    fail "$STATUS_HARDWARE" "the headers of kernel $kernel are missing, without which the Neuron driver cannot be built: choose an image that has them"
}

# devices: how many devices the driver shows.
devices() {
  local found=("$ROOT"/dev/neuron[0-9]*)
  [[ -e ${found[0]} ]] || found=()
  printf '%s' "${#found[@]}"
}

load_driver() {
  local attempt
  (($(devices) == 0)) || return 0
  attempt "load the Neuron driver" modprobe neuron
  for ((attempt = 0; attempt < ATTEMPTS && $(devices) == 0; attempt++)); do
    sleep 1
  done
  (($(devices))) ||
    fail "$STATUS_HARDWARE" "the Neuron driver shows no device of this $TRAINYARD_INSTANCE_TYPE: 'setup: neuron' is for Trainium and Inferentia instances"
  note_change "loaded the Neuron driver"
}

supported_system "install Neuron on" "'setup: none'"
files=$(asset neuron) || exit $?
mapfile -t files <<<"$files"
check_kernel_headers
install_packages "${files[@]}"
load_driver
put "$ROOT/etc/profile.d/trainyard-neuron.sh" 0644 <<'END'
# neuron-ls, neuron-top and their like
export PATH="$PATH:/opt/aws/neuron/bin"
END
say "$(devices) Neuron devices"
finish

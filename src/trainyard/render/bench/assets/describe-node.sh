#!/usr/bin/env bash
# Says what a node has inside, in lines that begin with "trainyard: node NAME": instance type, versions, GPUs, network
# cards and what libfabric offers. What is missing is said, and never an error: the test itself shows what follows of it.
#
#   describe-node.sh              the whole node
#   describe-node.sh --hardware   without the libraries, where a container brings them
#   describe-node.sh --software   the libraries only, in that container
#
# A library that is installed need not be the one that is used, which NCCL itself names: hence installed-nccl.
set -uo pipefail
ROOT=${TRAINYARD_SYSROOT:-}
PATH=$PATH:/opt/amazon/efa/bin
MOST_S=${TRAINYARD_PROBE_S:-60}
NAME=$(uname -n)
NAME=${NAME%%.*}

# tell WORDS…: one line about this node.
tell() {
  echo "trainyard: node $NAME $*"
}

# each WORDS…: a line for each line of standard input, at most 256.
each() {
  local line
  head -n 256 | while IFS= read -r line; do tell "$* $line"; done
}

# version WHAT VALUE: nothing where the value is empty.
version() {
  [[ -z $2 ]] || tell "version $1 $2"
}

# probe COMMAND…: what it prints. Ends where a broken driver lets it hang.
probe() {
  timeout --kill-after=5 "$MOST_S" "$@" 2>/dev/null
}

# The first match of a pattern in files that may be programs. Sizes are bounded: NCCL has 300 MB.
in_file() {
  local pattern=$1
  shift
  grep --text --only-matching --no-filename --max-count=1 -E "$pattern" "$@" 2>/dev/null | head -n 1
}

# Prints the library of that name that programs would load, as far as the folders say.
library() {
  local folder
  while IFS= read -r folder; do
    for file in "$folder/$1"*; do
      [[ ! -f $file ]] || {
        echo "$file"
        return 0
      }
    done
  done < <(tr : '\n' <<<"${LD_LIBRARY_PATH:-}" | sed '/^$/d' && places)
}

places() {
  [[ -z ${TRAINYARD_SHARED:-} ]] || echo "$ROOT$TRAINYARD_SHARED/nccl/current/lib"
  printf '%s\n' "$ROOT"/opt/amazon/ofi-nccl/lib64 "$ROOT"/opt/amazon/ofi-nccl/lib "$ROOT"/opt/amazon/ofi-nccl/lib/*-linux-gnu \
    "$ROOT"/opt/nccl/build/lib "$ROOT"/usr/lib/*-linux-gnu "$ROOT"/usr/lib64 "$ROOT"/usr/local/cuda/lib64
}

nccl_version() {
  local file
  file=$(library libnccl.so) || true
  # NCCL prints it at its first start: https://github.com/NVIDIA/nccl/blob/master/src/init.cc
  [[ -z $file ]] || in_file 'NCCL version [0-9]+\.[0-9]+\.[0-9]+' "$file" | grep -oE '[0-9.]+$'
}

plugin_version() {
  local file found
  for file in libnccl-net-ofi.so libnccl-net-aws-ofi.so libnccl-net.so; do
    file=$(library "$file") || true
    found=$([[ -z $file ]] || in_file 'aws-ofi-nccl v?[0-9]+\.[0-9]+[0-9.]*' "$file" | grep -oE '[0-9.]+$')
    [[ -z $found ]] || break
  done
  [[ -n $found ]] || found=$(in_file '(libnccl-ofi|aws-ofi-nccl)[-_][0-9]+[0-9.]*' "$ROOT/opt/amazon/efa_installed_packages" |
    grep -oE '[0-9][0-9.]*$')
  echo "${found%.}"
}

software() {
  version efa-installer "$(in_file 'EFA installer version: [0-9.]+' "$ROOT/opt/amazon/efa_installed_packages" | grep -oE '[0-9.]+$')"
  version installed-libfabric "$(probe fi_info --version | sed -n 's/^libfabric: *//p')"
  version installed-plugin "$(plugin_version)"
  version installed-nccl "$(nccl_version)"
  version cuda-toolkit "$(probe "$ROOT/usr/local/cuda/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
}

gpus() {
  local found
  if ! found=$(probe nvidia-smi --query-gpu=index,name,memory.total,driver_version --format=csv,noheader); then
    tell "gpu none: nvidia-smi does not answer"
    return
  fi
  version driver "$(head -n 1 <<<"$found" | sed 's/.*, *//')"
  # The CUDA that the driver can: the header of nvidia-smi, where newer drivers write "CUDA UMD Version".
  # https://docs.nvidia.com/deploy/nvidia-smi/index.html
  version cuda-driver "$(probe nvidia-smi | sed -nE 's/.*CUDA (UMD )?Version: *([0-9.]+).*/\2/p' | head -n 1)"
  each gpu <<<"$found"
}

# The kernel's own list. On p6-b200, /sys/class/infiniband also lists devices of NVLink, which EFA's driver does not have.
# https://github.com/aws/sagemaker-hyperpod-cli/issues/282
network_cards() {
  local device driver count=0
  for device in "$ROOT"/sys/class/infiniband/*; do
    driver=$(readlink "$device/device/driver") || continue
    [[ ${driver##*/} == efa ]] || continue
    tell "nic ${device##*/} $(cat "$device/ports/1/state" 2>/dev/null)"
    ((++count))
  done
  tell "nics $count"
}

# A line for each that libfabric offers: fabric, domain, type and protocol. https://ofiwg.github.io/libfabric/main/man/fi_info.1.html
fabrics() {
  local found
  if ! found=$(probe fi_info -p efa); then
    tell "fi_info none: fi_info -p efa finds nothing"
    return
  fi
  awk '/^provider:/ { if (line) print line; line = $2; next } NF == 2 { line = line " " $2 } END { if (line) print line }' \
    <<<"$found" | each fi_info
}

hardware() {
  tell "instance-type $(cat "$ROOT/sys/devices/virtual/dmi/id/product_name" 2>/dev/null || echo unknown)"
  tell "kernel $(uname -r)"
  gpus
  version efa-driver "$(cat "$ROOT/sys/module/efa/version" 2>/dev/null)"
  network_cards
  fabrics
}

[[ ${1:-} == --software ]] || hardware
[[ ${1:-} == --hardware ]] || software
exit 0

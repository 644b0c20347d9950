#!/usr/bin/env bash
# Sees that the NVSwitches between the GPUs route, without which CUDA answers with error 802, "system not yet
# initialized".
#
# Before Blackwell this is the work of the fabric manager alone. On B200 and B300 the switches are reached through
# InfiniBand: the module ib_umad comes first, then the NVLink subnet manager (nvlsm), then the fabric manager. The last
# two are started, in this order, by the one unit nvidia-fabricmanager, which takes the way of older systems, and fails
# on it, where the module is missing. https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html
# https://github.com/NVIDIA/gpu-operator/issues/2781 https://github.com/spectrocloud/CanvOS/pull/700
#
# The fabric manager waits 30 s for the GPUs and gives up, which happens to whoever starts it early after boot; later it
# succeeds in a second. So a first failure says nothing. https://github.com/pytorch/ci-infra/pull/552
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=nvidia-fabricmanager.service
# In all, these stay below the 300 s that the step has.
STARTS=4
START_TIMEOUT_S=45
PAUSE_S=10
REGISTER_ATTEMPTS=5
REGISTER_PAUSE_S=5

check_software() {
  [[ -e $ROOT/usr/lib/systemd/system/$UNIT || -e $ROOT/lib/systemd/system/$UNIT || -e $ROOT/etc/systemd/system/$UNIT ]] ||
    fail "$STATUS_HARDWARE" "the NVIDIA fabric manager is missing, which the NVSwitches of a $TRAINYARD_INSTANCE_TYPE need: choose an image that has it"
  [[ $TRAINYARD_FABRIC != nvlsm || -e $ROOT/opt/nvidia/nvlsm/sbin/nvlsm ]] ||
    fail "$STATUS_HARDWARE" "the NVLink subnet manager (nvlsm) is missing, which the NVSwitches of a $TRAINYARD_INSTANCE_TYPE need: choose an image of ParallelCluster 3.14 or newer"
}

# The fabric manager refuses drivers of another version than its own.
check_versions() {
  local driver manager
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null) || driver=""
  driver=${driver%%$'\n'*}
  [[ -n $driver ]] ||
    fail "$STATUS_HARDWARE" "nvidia-smi sees no GPU of this $TRAINYARD_INSTANCE_TYPE: choose an image with the NVIDIA driver for it"
  manager=$(nv-fabricmanager --version 2>/dev/null | grep --only-matching --extended-regexp '[0-9]+(\.[0-9]+)+') || true
  manager=${manager%%$'\n'*}
  [[ -z $manager || $manager == "$driver" ]] ||
    fail "$STATUS_HARDWARE" "the fabric manager is version $manager and the NVIDIA driver $driver, which have to be the same: choose an image where they are"
}

load_umad() {
  [[ $TRAINYARD_FABRIC == nvlsm ]] || return 0
  put "$ROOT/etc/modules-load.d/trainyard-infiniband.conf" 0644 <<<'ib_umad'
  [[ ! -d $ROOT/sys/module/ib_umad ]] || return 0
  attempt "load the module ib_umad" modprobe ib_umad
  [[ -d $ROOT/sys/module/ib_umad ]] ||
    fail "$STATUS_HARDWARE" "the kernel module ib_umad cannot be loaded: choose an image with linux-modules-extra for its kernel"
  note_change "loaded ib_umad"
  # What has started without it has taken the wrong way.
  RESTART=1
}

# start_manager: starts the fabric manager, or starts it again, until it stays.
start_manager() {
  enable_unit "$UNIT"
  ((RESTART)) || ! systemctl --quiet is-active "$UNIT" >/dev/null || return 0
  while ((STARTED < STARTS)); do
    STARTED=$((STARTED + 1))
    if timeout "$START_TIMEOUT_S" systemctl restart "$UNIT"; then
      note_change "started the fabric manager"
      return 0
    fi
    say "the fabric manager did not start, attempt $STARTED of $STARTS"
    ((STARTED == STARTS)) || sleep "$PAUSE_S"
  done
  journalctl --unit="$UNIT" --lines=50 --no-pager || true
  fail "$STATUS_HARDWARE" "the fabric manager did not start in $STARTS attempts: see its lines above, and have the instance replaced"
}

# gpus_ready: whether every GPU has registered; PROBLEM says what is not so. A100 has no such state, N/A. The table of
# nvidia-smi is the one that is right on all of them. https://github.com/siderolabs/extensions/pull/717
gpus_ready() {
  local said states waiting status=0
  said=$(nvidia-smi --query 2>&1) || status=$?
  if ((status)); then
    PROBLEM="nvidia-smi ended with status $status ($(last_line "$said" "it said nothing"))"
    return 1
  fi
  read -r states waiting <<<"$(printf '%s\n' "$said" | fabric_states)"
  PROBLEM="nvidia-smi shows a fabric state for $states GPUs instead of $GPUS"
  ((states >= GPUS)) || return 1
  PROBLEM="$waiting of $states GPUs did not register with their NVSwitches"
  ((waiting == 0))
}

# fabric_states <TABLE: how many GPUs have a state, and how many of them have not registered.
fabric_states() {
  awk '
    /^[[:space:]]+Fabric[[:space:]]*$/ { fabric = 1; next }
    fabric && /^[[:space:]]+State[[:space:]]*:/ {
      fabric = 0
      states++
      if ($NF != "Completed" && $NF != "N/A") waiting++
    }
    END { print states + 0, waiting + 0 }'
}

wait_for_gpus() {
  local attempt
  for ((attempt = 1; attempt <= REGISTER_ATTEMPTS; attempt++)); do
    ! gpus_ready || return 0
    sleep "$REGISTER_PAUSE_S"
  done
  return 1
}

bring_up() {
  start_manager
  ! wait_for_gpus || return 0
  say "$PROBLEM; the fabric manager starts once more"
  RESTART=1
  start_manager
  wait_for_gpus ||
    fail "$STATUS_HARDWARE" "$PROBLEM, see 'nvidia-smi --query' and 'journalctl --unit=$UNIT': have the instance replaced"
}

# Where it is not known how many GPUs there are, one at least has to be.
check_setting() {
  [[ ${TRAINYARD_GPUS:-1} =~ ^[1-9][0-9]*$ ]] ||
    fail "$STATUS_SETTING" "TRAINYARD_GPUS is '$TRAINYARD_GPUS' instead of a number of GPUs: render and publish the release again"
  GPUS=${TRAINYARD_GPUS:-1}
}

RESTART=0
STARTED=0
PROBLEM=""
case $TRAINYARD_FABRIC in
fabric-manager | nvlsm) ;;
none | "")
  say "the GPUs of this node have no NVSwitch"
  finish
  exit 0
  ;;
*) fail "$STATUS_SETTING" "TRAINYARD_FABRIC is '$TRAINYARD_FABRIC' instead of none, fabric-manager or nvlsm: render and publish the release again" ;;
esac
check_setting
check_software
check_versions
load_umad
bring_up
finish

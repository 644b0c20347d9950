#!/usr/bin/env bash
# Installs the NVIDIA container toolkit, from the pinned packages of the asset "nvidia-container-toolkit", and makes it
# known to Docker. Enroot uses its libraries as well.
# https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

SETTINGS=$ROOT/etc/docker/daemon.json

# All that nvidia-smi says is read before any of it is looked at: a program whose reader leaves early fails.
check_gpu() {
  local listed
  listed=$(nvidia-smi --list-gpus 2>/dev/null) && [[ $'\n'$listed == *$'\n'"GPU "* ]] ||
    fail "$STATUS_HARDWARE" "nvidia-smi lists no GPU of this $TRAINYARD_INSTANCE_TYPE, so the container toolkit has nothing to offer: choose an image with the NVIDIA driver, or another 'setup'"
}

# nvidia-ctk adds its runtime to settings that exist. It gets a copy, because it writes them in place.
name_runtime() {
  local copy
  ! grep --quiet nvidia-container-runtime "$SETTINGS" 2>/dev/null || return 0
  folder "$(dirname "$SETTINGS")"
  copy=$(mktemp "$(dirname "$SETTINGS")/.daemon.XXXXXX") || fail "$STATUS_NO_SPACE" "cannot write to $(dirname "$SETTINGS"): make room"
  trap 'rm -f "$copy"' RETURN
  attempt "write $copy" copy_settings "$copy"
  attempt "name the NVIDIA runtime to Docker" nvidia-ctk runtime configure --runtime=docker --config="$copy"
  grep --quiet nvidia-container-runtime "$copy" ||
    fail 1 "nvidia-ctk did not add its runtime to a copy of $SETTINGS: see the lines above"
  put "$SETTINGS" 0644 <"$copy"
}

copy_settings() {
  if [[ -s $SETTINGS ]]; then
    cat "$SETTINGS" >"$1"
  else
    printf '{}\n' >"$1"
  fi
}

runtime_known() {
  # The braces are Docker's, not the shell's.
  # shellcheck disable=SC2016
  [[ " $(docker info --format '{{range $name, $_ := .Runtimes}}{{$name}} {{end}}' 2>/dev/null) " == *" nvidia "* ]]
}

# A reload does not always do (https://github.com/NVIDIA/ansible-role-nvidia-docker/pull/12). Containers go on during a
# restart, because the settings of 30-docker.sh say so.
tell_docker() {
  systemd_runs || return 0
  ! runtime_known || return 0
  attempt "have Docker read $SETTINGS again" systemctl restart docker.service
  runtime_known || fail 1 "Docker does not know the NVIDIA runtime that $SETTINGS names: see 'journalctl -u docker'"
  note_change "Docker knows the NVIDIA runtime"
}

supported_system "install the NVIDIA container toolkit on" "leave containers out"
check_gpu
files=$(asset nvidia-container-toolkit) || exit $?
mapfile -t files <<<"$files"
install_packages "${files[@]}"
name_runtime
tell_docker
finish

#!/usr/bin/env bash
# Installs Docker from its static archive, with units for systemd, where the image has none of its own. Static binaries
# are the same on every system and leave the package manager alone. https://docs.docker.com/engine/install/binaries/
#
# Settings that exist already, in /etc/docker/daemon.json, stay as they are.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PLACE=$ROOT/opt/trainyard/docker
UNITS=$ROOT/etc/systemd/system
RESTART=0

# unpack ARCHIVE: puts it into a folder with the name of the archive, all of it or nothing, and sets BINARIES.
unpack() {
  local name new program
  name=$(basename "$1" .tgz)
  BINARIES=$PLACE/$name
  [[ ! -d $BINARIES ]] || return 0
  folder "$PLACE"
  rm -rf "$PLACE"/.new.*
  new=$(mktemp --directory "$PLACE/.new.XXXXXX") || fail "$STATUS_NO_SPACE" "cannot make a folder in $PLACE: make room"
  attempt "unpack ${1##*/}" tar --extract --gzip --no-same-owner --strip-components=1 --file "$1" --directory "$new"
  for program in docker dockerd containerd containerd-shim-runc-v2 runc; do
    [[ -x $new/$program ]] || fail "$STATUS_DAMAGED" "${1##*/} holds no $program: lock and deploy the assets again"
  done
  chmod 0755 "$new"
  attempt "write $BINARIES" sync --file-system "$new"
  attempt "write $BINARIES" mv -T "$new" "$BINARIES"
  note_change "unpacked ${1##*/}"
}

# Where systemd and users find them: /usr/local/bin is in the PATH of both.
link_binaries() {
  local program
  for program in "$BINARIES"/*; do
    link "$program" "$ROOT/usr/local/bin/${program##*/}"
    ! changed || RESTART=1
  done
}

# Images are larger than what a root volume has left, so they go to the instance store where there is one. Since version 29,
# containerd keeps them, and Docker the rest. https://docs.docker.com/engine/storage/containerd/
data_folder() {
  local place
  place=$(instance_store)
  printf '%s' "${place:-/var/lib}"
}

# Locked memory without limit is what EFA needs in containers: https://github.com/aws/aws-ofi-nccl/issues/803
# The cgroup driver of systemd takes GPUs away from containers at its next daemon-reload, so it is the other one:
# https://github.com/NVIDIA/nvidia-docker/issues/1730
settings() {
  python3 -I - "$(data_folder)" "$1" <<'PYTHON'
import json, sys

settings = {
    "data-root": sys.argv[1] + "/docker",
    "default-ulimits": {"memlock": {"Name": "memlock", "Hard": -1, "Soft": -1}},
    "exec-opts": ["native.cgroupdriver=cgroupfs"],
    "live-restore": True,
    "log-driver": "json-file",
    "log-opts": {"max-file": "3", "max-size": "100m"},
}
if sys.argv[2] == "no":
    settings["iptables"] = False
print(json.dumps(settings, indent=2))
PYTHON
}

configure() {
  local filter=yes
  [[ ! -e $ROOT/etc/docker/daemon.json ]] || return 0
  command -v iptables >/dev/null || {
    filter=no
    say "iptables is missing: containers reach the network with --network=host only"
  }
  put "$ROOT/etc/trainyard/containerd.env" 0644 <<<"CONTAINERD_ROOT=$(data_folder)/containerd"
  settings "$filter" | put "$ROOT/etc/docker/daemon.json" 0644
  RESTART=1
}

write_units() {
  put "$UNITS/containerd.service" 0644 <<'END'
[Unit]
Description=containerd, for Docker
Documentation=https://containerd.io
After=network.target local-fs.target setup-ephemeral.service

[Service]
Type=notify
Environment=CONTAINERD_ROOT=/var/lib/containerd
EnvironmentFile=-/etc/trainyard/containerd.env
ExecStartPre=-/sbin/modprobe overlay
ExecStart=/usr/local/bin/containerd --root=${CONTAINERD_ROOT}
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNOFILE=infinity
LimitNPROC=infinity
LimitCORE=infinity
LimitMEMLOCK=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
END
  ! changed || RESTART=1
  put "$UNITS/docker.service" 0644 <<'END'
[Unit]
Description=Docker
Documentation=https://docs.docker.com
After=network-online.target containerd.service
Wants=network-online.target
Requires=containerd.service

[Service]
Type=notify
ExecStart=/usr/local/bin/dockerd --host=unix:///run/docker.sock --containerd=/run/containerd/containerd.sock
ExecReload=/bin/kill -s HUP $MAINPID
TimeoutStartSec=120
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNOFILE=infinity
LimitNPROC=infinity
LimitCORE=infinity
LimitMEMLOCK=infinity
TasksMax=infinity
OOMScoreAdjust=-500

[Install]
WantedBy=multi-user.target
END
  ! changed || RESTART=1
}

# The group may use Docker, which makes root of whoever is in it. The user of ParallelCluster is root's equal anyway
# (sudo).
allow_user() {
  local user
  grep --quiet '^docker:' "$ROOT/etc/group" 2>/dev/null || {
    attempt "make the group docker" groupadd --system docker
    note_change "made the group docker"
  }
  # An image that is being built has no user of a cluster yet.
  [[ -n $(cfn cfn_cluster_user) ]] || return 0
  user=$(cluster_user)
  grep --quiet --extended-regexp "^docker:.*[:,]$user(,|\$)" "$ROOT/etc/group" || {
    attempt "let $user use Docker" usermod --append --groups docker "$user"
    note_change "lets $user use Docker"
  }
}

run() {
  if ((RESTART)); then
    restart containerd.service docker.service
  else
    service containerd.service docker.service
  fi
}

if [[ -e $ROOT/usr/bin/dockerd ]]; then
  say "the image has a Docker of its own, which stays"
  service docker.service
  finish
  exit 0
fi
archive=$(asset docker) || exit $?
unpack "$archive"
allow_user
link_binaries
configure
write_units
run
finish

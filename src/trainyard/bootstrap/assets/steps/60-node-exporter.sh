#!/usr/bin/env bash
# Prometheus' node exporter on port 9100, as a user that exists only while it runs.
# Other programs add metrics as NAME.prom in /var/lib/node_exporter/textfile.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PROGRAM=$ROOT/usr/local/bin/node_exporter
UNIT=trainyard-node-exporter.service

# The archive holds node_exporter-VERSION.linux-ARCH/node_exporter: https://github.com/prometheus/node_exporter/releases
from_archive() {
  tar --extract --to-stdout --gzip --wildcards --file "$1" 'node_exporter-*/node_exporter'
}

install_program() {
  local archive=$1 new=$PROGRAM.trainyard-new
  if [[ -x $PROGRAM ]] && from_archive "$archive" 2>/dev/null | cmp --silent - "$PROGRAM"; then
    return 0
  fi
  folder "$(dirname "$PROGRAM")"
  attempt "unpack ${archive##*/}" write_program "$archive" "$new"
  attempt "write $PROGRAM" mv -T "$new" "$PROGRAM"
  note_change "wrote $PROGRAM of ${archive##*/}"
  fresh=1
}

write_program() {
  if from_archive "$1" >"$2" && chmod 0755 "$2" && sync "$2"; then
    return 0
  fi
  rm -f "$2"
  return 1
}

# It listens on every address, because Prometheus reaches it over the network; security groups say who may.
# The port and the folder's option: https://github.com/prometheus/node_exporter/blob/master/README.md
# What each of the limits means: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
unit() {
  cat <<'EOT'
[Unit]
Description=Prometheus node exporter
After=network-online.target
Wants=network-online.target

[Service]
DynamicUser=yes
User=node-exporter
ExecStart=/usr/local/bin/node_exporter --web.listen-address=:9100 --collector.textfile.directory=/var/lib/node_exporter/textfile
Restart=on-failure
RestartSec=5
CapabilityBoundingSet=
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
EOT
}

archive=$(asset node-exporter) || exit $?
fresh=0
install_program "$archive"
folder "$ROOT/var/lib/node_exporter/textfile" 0755
unit | put "$ROOT/etc/systemd/system/$UNIT" 0644
! changed || fresh=1
if ((fresh)); then restart "$UNIT"; else service "$UNIT"; fi
finish

#!/usr/bin/env bash
# Prometheus' node exporter on port 9100, as a user that exists only while it runs.
# Other programs add metrics as NAME.prom in /var/lib/node_exporter/textfile.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=trainyard-node-exporter.service

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
# The archive holds node_exporter-VERSION.linux-ARCH/node_exporter: https://github.com/prometheus/node_exporter/releases
program_from "$archive" node_exporter
! changed || fresh=1
folder "$ROOT/var/lib/node_exporter/textfile" 0755
unit | put "$ROOT/etc/systemd/system/$UNIT" 0644
! changed || fresh=1
if ((fresh)); then restart "$UNIT"; else service "$UNIT"; fi
finish

#!/usr/bin/env bash
# Alertmanager on the monitoring instance: it tells people of the alerts that Prometheus beside it finds.
# alertmanager.yml comes with the release, in its folder monitoring/.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=trainyard-alertmanager.service
FROM=$TRAINYARD_RELEASE/monitoring/alertmanager.yml

# Only Prometheus and Grafana on this machine speak with it, and without an address it looks for no others of its kind.
# https://prometheus.io/docs/alerting/latest/high_availability/
# What each of the limits means: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
unit() {
  cat <<'EOT'
[Unit]
Description=Alertmanager, which tells people of alerts
After=network-online.target
Wants=network-online.target
RequiresMountsFor=/var/lib/private

[Service]
DynamicUser=yes
User=trainyard-alertmanager
StateDirectory=trainyard-alertmanager
ExecStart=/usr/local/bin/alertmanager --config.file=/etc/trainyard/alertmanager.yml --storage.path=/var/lib/trainyard-alertmanager --web.listen-address=127.0.0.1:9093 --cluster.listen-address=
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=5
CapabilityBoundingSet=
LockPersonality=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
EOT
}

need TRAINYARD_RELEASE
archive=$(asset alertmanager) || exit $?
FRESH=0
AGAIN=0
for program in alertmanager amtool; do
  program_from "$archive" "$program"
  ! changed || FRESH=1
done
[[ -f $FROM ]] ||
  fail "$STATUS_DAMAGED" "the release holds no monitoring/alertmanager.yml: deploy the spec of this instance again"
# What amtool objects to never takes the place of what runs.
attempt "use monitoring/alertmanager.yml of the release" "$ROOT/usr/local/bin/amtool" check-config "$FROM"
put "$ROOT/etc/trainyard/alertmanager.yml" 0644 <"$FROM"
! changed || AGAIN=1
unit | put "$ROOT/etc/systemd/system/$UNIT" 0644
! changed || FRESH=1
if ((FRESH)); then
  restart "$UNIT"
elif ((AGAIN)); then
  reload "$UNIT"
else
  service "$UNIT"
fi
! changed_anything || answers "$UNIT" http://127.0.0.1:9093/-/ready
finish

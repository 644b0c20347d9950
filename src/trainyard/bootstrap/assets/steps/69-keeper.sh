#!/usr/bin/env bash
# Prometheus on the monitoring instance: it keeps what head nodes send to port 9090, and finds what is to be told.
# instance.yml and rules.yml come with the release, in its folder monitoring/.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=trainyard-keeper.service
SETTINGS=$ROOT/etc/trainyard/prometheus
# The volume of the instance: 62-data-volume.
STATE=$ROOT/var/lib/private
# What is older goes, and before that whatever takes more of the volume than this. The rest is for Grafana, and for what
# Prometheus itself needs while it joins blocks.
RETENTION=90d
SHARE_PERCENT=70

# Prints how many GB samples may take on the volume that they lie on.
size_gb() {
  local total_kib
  total_kib=$(df --output=size --block-size=1K "$STATE" 2>/dev/null | tail -n 1) || true
  [[ $total_kib =~ ^\ *([0-9]+)$ ]] || fail 1 "df does not say how large the volume of $STATE is"
  printf '%d' "$((BASH_REMATCH[1] * SHARE_PERCENT / 100 / 1024 / 1024))"
}

# It listens on every address, because head nodes write to it over the network and Grafana asks it on this machine; the
# security group lets in head nodes alone.
# https://prometheus.io/docs/prometheus/latest/storage/#operational-aspects (retention)
# https://prometheus.io/docs/prometheus/latest/querying/api/#remote-write-receiver
# What each of the limits means: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
unit() {
  cat <<EOT
[Unit]
Description=Prometheus, which keeps the metrics of training clusters
After=network-online.target
Wants=network-online.target
RequiresMountsFor=/var/lib/private

[Service]
DynamicUser=yes
User=trainyard-keeper
StateDirectory=trainyard-keeper
ExecStart=/usr/local/bin/prometheus --config.file=/etc/trainyard/prometheus/prometheus.yml --storage.tsdb.path=/var/lib/trainyard-keeper --storage.tsdb.retention.time=$RETENTION --storage.tsdb.retention.size=$1GB --web.listen-address=0.0.0.0:9090 --web.enable-remote-write-receiver
EOT
  cat <<'EOT'
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=5
TimeoutStopSec=120
LimitNOFILE=65536
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

# What promtool objects to never takes the place of what runs.
settings() {
  local name from=$TRAINYARD_RELEASE/monitoring
  for name in instance rules; do
    [[ -f $from/$name.yml ]] ||
      fail "$STATUS_DAMAGED" "the release holds no monitoring/$name.yml: deploy the spec of this instance again"
  done
  attempt "use monitoring/instance.yml of the release" "$ROOT/usr/local/bin/promtool" check config "$from/instance.yml"
  put "$SETTINGS/rules.yml" 0644 <"$from/rules.yml"
  ! changed || AGAIN=1
  put "$SETTINGS/prometheus.yml" 0644 <"$from/instance.yml"
  ! changed || AGAIN=1
}

need TRAINYARD_RELEASE
archive=$(asset prometheus) || exit $?
FRESH=0
AGAIN=0
for program in prometheus promtool; do
  program_from "$archive" "$program"
  ! changed || FRESH=1
done
settings
folder "$STATE" 0700
size=$(size_gb)
((size > 0)) || fail "$STATUS_NO_SPACE" "the volume of $STATE is too small to keep metrics: write a larger monitoring.volume_gib"
unit "$size" | put "$ROOT/etc/systemd/system/$UNIT" 0644
! changed || FRESH=1
if ((FRESH)); then
  restart "$UNIT"
elif ((AGAIN)); then
  reload "$UNIT"
else
  service "$UNIT"
fi
! changed_anything || answers "$UNIT" http://127.0.0.1:9090/-/ready
finish

#!/usr/bin/env bash
# Prometheus on the head node: it scrapes the cluster, and sends that to Amazon Managed Prometheus or to the monitoring
# instance. What it scrapes and where it sends it comes with the release, in its folder monitoring/. Root renews the
# credentials that it reads, and asks when the cluster's capacity reservations end.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

NAME=trainyard-prometheus
UNIT=$NAME.service
CREDENTIALS=$NAME-credentials
RESERVATIONS=trainyard-reservations
UNITS=$(dirname "${BASH_SOURCE[0]}")/../units
SYSTEM=$ROOT/etc/systemd/system
SETTINGS=$ROOT/etc/$NAME
FROM=${TRAINYARD_RELEASE:-}/monitoring

# Without a home, a shell or a password. Its group reads the credentials, so it has to be there before they are.
own_user() {
  ! grep --quiet "^$NAME:" "$ROOT/etc/passwd" 2>/dev/null || return 0
  attempt "make the user $NAME" useradd --system --user-group --no-create-home --home-dir /nonexistent \
    --shell /usr/sbin/nologin "$NAME"
  note_change "made the user $NAME"
}

# A release that was packed by hand before its ids were known leads nowhere. render/stand_ins.yaml has these two.
known_destination() {
  case $TRAINYARD_METRICS_WRITE_URL in
  *ws-00000000000000001* | *monitoring-instance-00000000000000001*)
    fail "$STATUS_SETTING" "the release says that metrics go to $TRAINYARD_METRICS_WRITE_URL, which stands for an id that nobody filled in: pack the release again, as the README of its bundle says"
    ;;
  esac
}

# What promtool objects to never takes the place of what runs.
settings() {
  local name check=(check config)
  for name in head-node.yml aws_config.ini; do
    [[ -f $FROM/$name ]] ||
      fail "$STATUS_DAMAGED" "the release holds no monitoring/$name: render and publish the release again"
  done
  [[ $TRAINYARD_PROMETHEUS != agent ]] || check+=(--agent)
  attempt "use monitoring/head-node.yml of the release" "$ROOT/usr/local/bin/promtool" "${check[@]}" "$FROM/head-node.yml"
  put "$SETTINGS/aws_config.ini" 0644 <"$FROM/aws_config.ini"
  ! changed || FRESH=1
  put "$SETTINGS/prometheus.yml" 0644 <"$FROM/head-node.yml"
  ! changed || AGAIN=1
}

# own_unit NAME: puts a unit of the release in its place.
own_unit() {
  put "$SYSTEM/$1" 0644 <"$UNITS/$1"
}

units() {
  local server=$SYSTEM/$UNIT.d/server.conf
  own_unit "$UNIT"
  ! changed || FRESH=1
  if [[ $TRAINYARD_PROMETHEUS == server ]]; then
    put "$server" 0644 <"$UNITS/$NAME-server.conf"
    ! changed || FRESH=1
  elif [[ -e $server ]]; then
    attempt "remove $server" rm "$server"
    note_change "removed $server"
    FRESH=1
  fi
  own_unit "$CREDENTIALS.service"
  timer "$CREDENTIALS.timer"
}

# timer NAME: makes a timer of the release run.
timer() {
  own_unit "$1"
  if changed; then restart "$1"; else service "$1"; fi
}

# Nobody asks EC2 where the spec names no reservation, or no longer does; what was read before is no longer told then.
reservations() {
  if [[ -n ${TRAINYARD_CAPACITY_RESERVATIONS:-} ]]; then
    own_unit "$RESERVATIONS.service"
    timer "$RESERVATIONS.timer"
  elif [[ -e $SYSTEM/$RESERVATIONS.timer ]]; then
    ! systemd_runs || attempt "stop $RESERVATIONS.timer" systemctl disable --now "$RESERVATIONS.timer"
    attempt "remove $RESERVATIONS.timer" rm -f "$SYSTEM/$RESERVATIONS.timer" "$SYSTEM/$RESERVATIONS.service" "$TEXTFILES/trainyard_capacity_reservations.prom"
    note_change "removed $RESERVATIONS.timer"
  fi
}

# Prometheus' unit has asked for them already; where they are still missing, this says so.
credentials() {
  systemd_runs || return 0
  [[ ! -s $ROOT/run/$NAME/credentials.json ]] || return 0
  attempt "get the credentials of the head node's role, without which it finds no nodes (see journalctl --unit=$CREDENTIALS)" \
    systemctl start "$CREDENTIALS.service"
}

need TRAINYARD_RELEASE TRAINYARD_METRICS_WRITE_URL TRAINYARD_PROMETHEUS
known_destination
archive=$(asset prometheus) || exit $?
TEXTFILES=$ROOT/var/lib/node_exporter/textfile
FRESH=0
AGAIN=0
for program in prometheus promtool; do
  program_from "$archive" "$program"
  ! changed || FRESH=1
done
own_user
folder "$TEXTFILES" 0755
settings
units
reservations
if ((FRESH)); then
  restart "$UNIT"
elif ((AGAIN)); then
  reload "$UNIT"
else
  service "$UNIT"
fi
! changed_anything || answers "$UNIT" http://127.0.0.1:9090/-/ready
credentials
say "metrics go to $TRAINYARD_METRICS_WRITE_URL"
finish

#!/usr/bin/env bash
# Lets Alertmanager on the monitoring instance tell Slack, PagerDuty and webhooks of alerts: it hands it their secrets.
# Comes last, so that a secret that cannot be read keeps nothing else from running; then it is tried again at every look.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

ASSETS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
UNIT=trainyard-alertmanager.service
READER=$ROOT/etc/systemd/system/trainyard-alertmanager-secrets.service
DROP_IN=$ROOT/etc/systemd/system/$UNIT.d/receivers.conf
SETTINGS=$ROOT/etc/trainyard/alert-secrets.env
FOLDER=$ROOT/run/trainyard-alertmanager
FRESH=0

# put_one FILE <content: as `put`, for what Alertmanager has from its start only.
put_one() {
  put "$1" 0644
  ! changed || FRESH=1
}

# The names of the secrets that were read.
present() {
  ls "$FOLDER/receivers" 2>/dev/null || true
}

remove_all() {
  local one
  for one in "$DROP_IN" "$READER" "$SETTINGS" "$FOLDER"; do
    [[ -e $one ]] || continue
    rm -rf "$one"
    note_change "removed $one"
  done
  ! changed_anything || restart "$UNIT"
}

if [[ -z ${TRAINYARD_ALERT_SECRETS:-} ]]; then
  remove_all
  finish
  exit 0
fi
printf 'ALERT_SECRETS="%s"\n' "$TRAINYARD_ALERT_SECRETS" | put_one "$SETTINGS"
put_one "$READER" <"$ASSETS/units/${READER##*/}"
put_one "$DROP_IN" <"$ASSETS/units/trainyard-alertmanager-receivers.conf"
problem=
before=$(present)
if ((FRESH)) || (($(wc -w <<<"$before") != $(wc -w <<<"$TRAINYARD_ALERT_SECRETS"))); then
  problem=$(bash "$ASSETS/alertmanager/read-secrets.sh" 2>&1) || problem=${problem:-"cannot read the secrets of receivers"}
fi
[[ $(present) == "$before" ]] || FRESH=1
if ((FRESH)); then
  restart "$UNIT"
  answers "$UNIT" http://127.0.0.1:9093/-/ready
fi
[[ -z $problem ]] || fail 1 "$problem"
finish

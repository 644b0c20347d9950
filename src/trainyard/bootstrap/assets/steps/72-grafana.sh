#!/usr/bin/env bash
# Grafana on the monitoring instance, with its data source and the dashboards of the release, in monitoring/grafana/.
# Behind a load balancer it listens on every address, and the security group lets in that one alone; without one it listens
# on this machine, where Session Manager's port forwarding comes out.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

ASSETS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PLACE=$ROOT/opt/trainyard/grafana
SETTINGS=$ROOT/etc/trainyard/grafana
SECRET_KEY=$ROOT/var/lib/private/trainyard-grafana-secret-key
UNIT=trainyard-grafana.service
FRESH=0

# unpack ARCHIVE: puts it into a folder with the name of the archive, all of it or nothing, and sets TREE.
unpack() {
  local name new
  name=$(basename "$1" .tar.gz)
  TREE=$PLACE/$name
  [[ ! -d $TREE ]] || return 0
  folder "$PLACE"
  rm -rf "$PLACE"/.new.*
  new=$(mktemp --directory "$PLACE/.new.XXXXXX") || fail "$STATUS_NO_SPACE" "cannot make a folder in $PLACE: make room"
  attempt "unpack ${1##*/}" tar --extract --gzip --no-same-owner --strip-components=1 --file "$1" --directory "$new"
  [[ -x $new/bin/grafana && -d $new/public ]] ||
    fail "$STATUS_DAMAGED" "${1##*/} holds no Grafana: lock and deploy the assets again"
  attempt "unpack ${1##*/}" chmod 0755 "$new"
  attempt "write $TREE" sync --file-system "$new"
  attempt "write $TREE" mv -T "$new" "$TREE"
  note_change "unpacked ${1##*/}"
}

# Grafana takes half a gigabyte, so former versions go once another one runs.
remove_former() {
  local one
  for one in "$PLACE"/*; do
    [[ $one != "$PLACE/current" && $one != "$TREE" ]] || continue
    rm -rf "$one"
    note_change "removed $one"
  done
}

# put_one FILE MODE <content: as `put`, for what Grafana reads at its start only.
put_one() {
  put "$@"
  ! changed || FRESH=1
}

# Where it listens, and how people know it. https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/#server
address() {
  local https=false listen=127.0.0.1
  if [[ $TRAINYARD_GRAFANA_URL == https://* ]]; then
    https=true
    listen=0.0.0.0
  fi
  printf '%s\n' "GF_SERVER_HTTP_ADDR=$listen" GF_SERVER_HTTP_PORT=3000 "GF_SERVER_ROOT_URL=$TRAINYARD_GRAFANA_URL" \
    "GF_SECURITY_COOKIE_SECURE=$https" "GF_SECURITY_STRICT_TRANSPORT_SECURITY=$https"
}

# What Grafana encrypts in its database with, made once and kept beside it: another instance needs both. Nothing of it is said.
secret_key() {
  [[ ! -s $SECRET_KEY ]] || return 0
  folder "${SECRET_KEY%/*}" 0700
  attempt "write $SECRET_KEY" make_secret_key "$SECRET_KEY.new"
  attempt "write $SECRET_KEY" mv -T "$SECRET_KEY.new" "$SECRET_KEY"
  note_change "made $SECRET_KEY"
}

# Earlier versions had it on the disk of the instance.
make_secret_key() {
  (umask 077 && if [[ -s $SETTINGS/secret-key ]]; then cat "$SETTINGS/secret-key"; else new_key; fi >"$1") && sync "$1"
}

new_key() {
  python3 -I -c 'import secrets, sys; sys.stdout.write(secrets.token_hex(32))'
}

# Grafana looks at the folder every minute, so that other dashboards need no restart.
dashboards() {
  local from=$TRAINYARD_RELEASE/monitoring/grafana one
  for one in "$from"/*.json; do
    [[ -f $one ]] || fail "$STATUS_DAMAGED" "the release holds no dashboards: deploy the spec of this instance again"
    put "$SETTINGS/dashboards/${one##*/}" 0644 <"$one"
  done
  for one in "$SETTINGS"/dashboards/*.json; do
    [[ ! -f $from/${one##*/} ]] || continue
    rm -f "$one"
    note_change "removed $one"
  done
}

need TRAINYARD_RELEASE TRAINYARD_GRAFANA_URL
archive=$(asset grafana) || exit $?
unpack "$archive"
link "$TREE" "$PLACE/current"
! changed || FRESH=1
secret_key
put_one "$SETTINGS/grafana.ini" 0644 <"$ASSETS/grafana/grafana.ini"
address | put_one "$SETTINGS/address.env" 0644
for kind in datasources dashboards; do
  put_one "$SETTINGS/provisioning/$kind/trainyard.yaml" 0644 <"$ASSETS/grafana/$kind.yaml"
done
dashboards
put_one "$ROOT/etc/systemd/system/trainyard-grafana-password.service" 0644 <"$ASSETS/units/trainyard-grafana-password.service"
put_one "$ROOT/etc/systemd/system/$UNIT" 0644 <"$ASSETS/units/$UNIT"
if ((FRESH)); then
  # Its unit runs it too; here its own words become the step's.
  attempt "read Grafana's password" bash "$ASSETS/grafana/read-password.sh"
  restart "$UNIT"
  answers "$UNIT" http://127.0.0.1:3000/api/health
else
  service "$UNIT"
fi
remove_former
finish

#!/usr/bin/env bash
# Reads the password of Grafana's user admin from Secrets Manager into a file that root alone can read, before Grafana
# starts: trainyard-grafana-password.service runs it. systemd hands the file on as a credential. The password is in no
# argument, no variable of another program and no log.
#
# grafana-secret.env says where it is: follow-releases.sh writes that.
set -euo pipefail
umask 077

ROOT=${TRAINYARD_SYSROOT:-}
SETTINGS=$ROOT/etc/trainyard/grafana-secret.env
FILE=$ROOT/run/trainyard-grafana/admin-password
# The rights of a new instance take a while: with pauses of 2, 4, 8 and 16 s this waits for half a minute.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_general.html#troubleshoot_general_eventual-consistency
ATTEMPTS=5
PATH=$PATH:/usr/local/bin

fail() {
  echo "$1" >&2
  exit 1
}

# Prints the secret; what went wrong goes to the file that is named.
secret() {
  aws secretsmanager get-secret-value --region "$REGION" --secret-id "$GRAFANA_SECRET" \
    --query SecretString --output text 2>"$1"
}

password() {
  python3 -I -c '
import json, sys
try:
    found = json.load(sys.stdin)["password"]
except (ValueError, LookupError, TypeError):
    sys.exit(1)
if not isinstance(found, str) or not found or not found.isprintable():
    sys.exit(1)
sys.stdout.write(found)'
}

[[ -r $SETTINGS ]] || fail "$SETTINGS is missing: this is no monitoring instance that trainyard made"
# shellcheck source=/dev/null
. "$SETTINGS"
[[ -n ${GRAFANA_SECRET:-} && -n ${REGION:-} ]] || fail "$SETTINGS does not name a secret and a region"
mkdir -p "${FILE%/*}" || fail "cannot make ${FILE%/*}: is there space left?"
problem=$(mktemp "${FILE%/*}/.problem.XXXXXX") || fail "cannot write to ${FILE%/*}: is there space left?"
trap 'rm -f "$problem" "$FILE.new"' EXIT

pause=2
for ((attempt = 1; ; attempt++)); do
  ! found=$(secret "$problem") || break
  ((attempt < ATTEMPTS)) ||
    fail "cannot read $GRAFANA_SECRET from Secrets Manager in $ATTEMPTS attempts: $(tail -n 1 "$problem")"
  sleep "$pause"
  pause=$((pause * 2))
done
printf '%s' "$found" | password >"$FILE.new" ||
  fail "$GRAFANA_SECRET holds no JSON object with a password: write {\"username\": \"admin\", \"password\": …} into it"
mv -T "$FILE.new" "$FILE"

#!/usr/bin/env bash
# Reads where Slack, PagerDuty and webhooks are told of alerts from Secrets Manager, each into a file that root alone can
# read, before Alertmanager starts: trainyard-alertmanager-secrets.service runs it. systemd hands the files on as
# credentials. What is in them is in no argument, no variable of another program and no log.
#
# What cannot be read is named at the end and has no file, not even a former one, whose receiver may be somebody else's
# by now: Alertmanager goes on telling all others.
#
# alert-secrets.env says which there are: the step alert-receivers writes that.
set -euo pipefail
umask 077

ROOT=${TRAINYARD_SYSROOT:-}
SETTINGS=$ROOT/etc/trainyard/alert-secrets.env
FOLDER=$ROOT/run/trainyard-alertmanager/receivers
# The rights of a new instance take a while: with pauses of 2, 4, 8 and 16 s this waits for half a minute, once for all.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_general.html#troubleshoot_general_eventual-consistency
PAUSE_S=2
export AWS_MAX_ATTEMPTS=1
PATH=$PATH:/usr/local/bin
MISSING=()

fail() {
  echo "$1" >&2
  exit 1
}

# Prints the secret with an ARN, which names its region; what went wrong goes to $PROBLEM.
secret() {
  aws secretsmanager get-secret-value --region "$(cut -d : -f 4 <<<"$1")" --secret-id "$1" \
    --cli-connect-timeout 5 --cli-read-timeout 20 --query SecretString --output text 2>"$PROBLEM"
}

# Prints what a kind of receivers needs of the JSON on standard input. The security group lets nothing but HTTPS out.
value() {
  python3 -I -c '
import json, re, sys
key = "routing_key" if sys.argv[1] == "pagerduty" else "url"
try:
    found = json.load(sys.stdin)[key]
except (ValueError, LookupError, TypeError):
    sys.exit(1)
form = r"[A-Za-z0-9]+" if key == "routing_key" else r"https://[A-Za-z0-9.-]+(:443)?([/?][!-~]*)?"
if not isinstance(found, str) or not re.fullmatch(form, found):
    sys.exit(1)
sys.stdout.write(found)' "$1"
}

# What its secret has to hold.
shape() {
  case $1 in
  pagerduty) echo '{"routing_key": "…"}, the integration key of an integration with Events API v2' ;;
  *) echo '{"url": "https://…"}, without a port' ;;
  esac
}

# read_one NAME ARN
read_one() {
  local kind=${1%-*} found
  until found=$(secret "$2"); do
    ((PAUSE_S <= 16)) || {
      MISSING+=("cannot read $2 from Secrets Manager: $(tail -n 1 "$PROBLEM")")
      return 0
    }
    sleep "$PAUSE_S"
    PAUSE_S=$((PAUSE_S * 2))
  done
  printf '%s' "$found" | value "$kind" >"$FOLDER/.new" || {
    MISSING+=("$2 is no JSON object for $kind: write $(shape "$kind") into it")
    return 0
  }
  mv -T "$FOLDER/.new" "$FOLDER/$1"
}

# Alertmanager's unit loads this folder, and does not start without it.
mkdir -p "$FOLDER" || fail "cannot make $FOLDER: is there space left?"
[[ -r $SETTINGS ]] || fail "$SETTINGS is missing: deploy the spec of this instance again"
# shellcheck source=/dev/null
. "$SETTINGS"
PROBLEM=$(mktemp "${FOLDER%/*}/.problem.XXXXXX") || fail "cannot write to ${FOLDER%/*}: is there space left?"
trap 'rm -f "$PROBLEM" "$FOLDER/.new"' EXIT
rm -f "$FOLDER"/*
for entry in $ALERT_SECRETS; do
  read_one "${entry%%=*}" "${entry#*=}"
done
((${#MISSING[@]} == 0)) || fail "$(printf '%s; ' "${MISSING[@]}")nobody is told of alerts there until then"

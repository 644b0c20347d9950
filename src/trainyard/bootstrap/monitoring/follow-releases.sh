# shellcheck shell=bash
# Lets the monitoring instance follow the releases of its cluster, as launch.sh does for ParallelCluster's nodes.
#
# It is the user data of the instance: cloud-init runs it as root once in the instance's life. Above it stand the
# assignments of REGION, FOLDER and GRAFANA_SECRET, which the template of the stack writes. It installs itself as a service
# that looks at the pointer `release` in the folder every five minutes, and runs every release that it names.
#
#   s3://BUCKET/trainyard/CLUSTER/release      the pointer, as launch.sh describes it
#   s3://BUCKET/trainyard/CLUSTER/launch.sh    the launcher, which fetches, verifies and runs what the pointer names
#
# CloudFormation stops and starts the instance where this text changes, and nothing runs it again. So it stays as it is,
# and whatever may change is in releases.
set -euo pipefail
umask 022

# Tests run it somewhere else.
ROOT=${TRAINYARD_SYSROOT:-}
PROGRAM=$ROOT/usr/local/sbin/trainyard-follow-releases
UNITS=$ROOT/etc/systemd/system
APPLIED=$ROOT/var/lib/trainyard/applied-release
PATH=$PATH:/usr/local/bin

say() {
  echo "trainyard: $1"
}

fail() {
  echo "trainyard: $1" >&2
  exit 1
}

# What the launcher and the steps of a release read. The names are those of ParallelCluster, which does not configure this
# instance, so that both read the same on all nodes.
write_settings() {
  mkdir -p "$ROOT/etc/parallelcluster" "$ROOT/etc/trainyard" "$(dirname "$APPLIED")"
  printf '%s\n' 'cfn_node_type=MonitoringInstance' "cfn_region=$REGION" >"$ROOT/etc/parallelcluster/cfnconfig"
  printf '%s\n' "GRAFANA_SECRET=$GRAFANA_SECRET" "REGION=$REGION" >"$ROOT/etc/trainyard/grafana-secret.env"
}

# https://www.freedesktop.org/software/systemd/man/latest/systemd.timer.html
write_units() {
  mkdir -p "$UNITS"
  cat >"$UNITS/trainyard-follow-releases.service" <<'UNIT'
[Unit]
Description=trainyard: runs what is published for this instance
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/trainyard-follow-releases look
TimeoutStartSec=1h
UNIT
  cat >"$UNITS/trainyard-follow-releases.timer" <<'UNIT'
[Unit]
Description=trainyard: looks every five minutes for what is published for this instance

[Timer]
OnActiveSec=0
OnUnitInactiveSec=5min

[Install]
WantedBy=timers.target
UNIT
}

install_service() {
  mkdir -p "$(dirname "$PROGRAM")"
  install -m 0755 "$0" "$PROGRAM"
  write_settings
  write_units
  systemctl daemon-reload
  systemctl enable --now trainyard-follow-releases.timer
}

# copied KEY FILE: copies an object of the folder to a file. What went wrong stands in PROBLEM.
copied() {
  PROBLEM=$(aws s3 cp --only-show-errors --region "$REGION" --cli-connect-timeout 10 --cli-read-timeout 60 \
    "$FOLDER/$1" "$2" 2>&1) && return
  PROBLEM=${PROBLEM##*$'\n'}
  return 1
}

# Runs the launcher where the pointer names another release than the one that was run well at last. What fails is tried
# again at the next look, and what runs goes on meanwhile.
look() {
  WORK=$(mktemp -d) || fail "cannot make a folder in ${TMPDIR:-/tmp}: is there space left?"
  trap 'rm -rf "$WORK"' EXIT
  command -v aws >/dev/null || fail "the AWS command line is missing: use an image of Amazon Linux 2023"
  # The stack is made before anything is published, and S3 says of what is missing that it is forbidden.
  copied release "$WORK/release" || {
    say "there is no $FOLDER/release to read yet, so nothing changes: $PROBLEM"
    return 0
  }
  ! cmp --silent "$WORK/release" "$APPLIED" || return 0
  [[ $(head -c 5 "$WORK/release") != none* ]] || {
    say "nothing is published in $FOLDER/release"
    return 0
  }
  copied launch.sh "$WORK/launch.sh" || fail "cannot fetch $FOLDER/launch.sh: $PROBLEM"
  bash "$WORK/launch.sh" "$FOLDER" || fail "what $FOLDER/release names was not carried out: see above; it is tried again"
  install -m 0644 "$WORK/release" "$APPLIED"
}

case ${1:-install} in
look) look ;;
*) install_service ;;
esac

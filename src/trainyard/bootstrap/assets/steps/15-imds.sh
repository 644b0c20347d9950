#!/usr/bin/env bash
# Keeps the credentials of a compute or login node from its users, now and after each start: root alone may ask for them.
# What jobs need in AWS they get with credentials of their own: docs/bootstrap.md.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

command -v iptables-restore >/dev/null ||
  fail "$STATUS_SETTING" "the image has no iptables, so every user could take the node's credentials: use one of ParallelCluster's, or write iam.imds_for_root_only: false"
assets=$(dirname "${BASH_SOURCE[0]}")/..
put "$ROOT/usr/local/sbin/trainyard-imds" 0755 <"$assets/imds.sh"
put "$ROOT/etc/systemd/system/trainyard-imds.service" 0644 <"$assets/units/trainyard-imds.service"
if changed_anything; then restart trainyard-imds.service; else service trainyard-imds.service; fi
finish

#!/usr/bin/env bash
# Enables the unit that runs deferred steps with this release. The runner starts it at its end, and systemd at every later
# start. What the unit calls, the runner has made before the first step (own_place.py of trainyard_node): the link
# /opt/trainyard/current to the release, and trainyard-node on the PATH. The runner only warns where it cannot; a node
# without them ends here.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=trainyard-deferred.service
CURRENT=$ROOT/opt/trainyard/current
COMMAND=$ROOT/usr/local/bin/trainyard-node

need TRAINYARD_RELEASE
[[ -f $TRAINYARD_RELEASE/trainyard-node.pyz ]] ||
  fail "$STATUS_DAMAGED" "$TRAINYARD_RELEASE holds no trainyard-node.pyz: publish the release again"
[[ $(readlink "$CURRENT" 2>/dev/null) == "$TRAINYARD_RELEASE" && -x $COMMAND ]] ||
  fail 1 "$CURRENT does not lead to $TRAINYARD_RELEASE, or $COMMAND cannot be run: the runner said why; then run run.sh again"
put "$ROOT/etc/systemd/system/$UNIT" 0644 <"$(dirname "${BASH_SOURCE[0]}")/../units/$UNIT"
enable_unit "$UNIT"
finish

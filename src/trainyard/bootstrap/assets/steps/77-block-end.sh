#!/usr/bin/env bash
# Makes the head node look every minute whether a Capacity Block of the cluster ends, and let its jobs end before that.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNITS=$(dirname "${BASH_SOURCE[0]}")/../units
SYSTEM=$ROOT/etc/systemd/system
NAME=trainyard-block-end

need TRAINYARD_CAPACITY_BLOCKS
put "$SYSTEM/$NAME.service" 0644 <"$UNITS/$NAME.service"
put "$SYSTEM/$NAME.timer" 0644 <"$UNITS/$NAME.timer"
if changed; then restart "$NAME.timer"; else service "$NAME.timer"; fi
say "looks every minute whether one of these ends: $TRAINYARD_CAPACITY_BLOCKS"
finish

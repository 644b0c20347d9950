#!/usr/bin/env bash
# trainyard-node's own metrics on port 9341: Slurm on the head node; EFA and the node's health on compute nodes.
# As a user that exists only while it runs. docs/metrics.md names what it exports.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNITS=$(dirname "${BASH_SOURCE[0]}")/../units
UNIT=trainyard-node-metrics.service
PLACE=$ROOT/etc/systemd/system/$UNIT

# A release brings another trainyard-node under the same name: the unit names the release, so that it is started again.
of_release() {
  printf '[Unit]\nX-Trainyard-Release=%s\n' "${TRAINYARD_RELEASE##*/}"
}

need TRAINYARD_RELEASE TRAINYARD_ROLE
fresh=0
put "$PLACE" 0644 <"$UNITS/$UNIT"
! changed || fresh=1
if [[ $TRAINYARD_ROLE == compute-* ]]; then
  put "$PLACE.d/compute.conf" 0644 <"$UNITS/trainyard-node-metrics-compute.conf"
  ! changed || fresh=1
fi
of_release | put "$PLACE.d/release.conf" 0644
! changed || fresh=1
if ((fresh)); then restart "$UNIT"; else service "$UNIT"; fi
finish

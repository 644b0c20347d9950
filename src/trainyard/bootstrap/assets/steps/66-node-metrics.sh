#!/usr/bin/env bash
# trainyard-node's own metrics on port 9341: Slurm on the head node; EFA, Lustre and the node's
# health on compute nodes.
# As a user that exists only while it runs. docs/metrics.md names what it exports.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need TRAINYARD_RELEASE TRAINYARD_ROLE
drop_in=
[[ $TRAINYARD_ROLE != compute-* ]] || drop_in=trainyard-node-metrics-compute.conf
own_service trainyard-node-metrics.service "$drop_in"
# Where jobs' processes write what NCCL's inspector measures, each user in a folder of his own. systemd-tmpfiles removes
# what has not been written for a day: https://www.freedesktop.org/software/systemd/man/latest/tmpfiles.d.html
INSPECTOR=$ROOT/var/lib/trainyard/nccl-inspector
if [[ ${TRAINYARD_NCCL_INSPECTOR:-0} == 1 ]]; then
  folder "$INSPECTOR" 1777
  put "$ROOT/etc/tmpfiles.d/trainyard-nccl-inspector.conf" 0644 <<<"d /var/lib/trainyard/nccl-inspector 1777 root root 1d"
elif [[ -d $INSPECTOR ]]; then
  attempt "remove $INSPECTOR" rm -rf "$INSPECTOR" "$ROOT/etc/tmpfiles.d/trainyard-nccl-inspector.conf"
  note_change "removed $INSPECTOR"
fi
finish

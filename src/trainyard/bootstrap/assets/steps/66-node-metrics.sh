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
finish

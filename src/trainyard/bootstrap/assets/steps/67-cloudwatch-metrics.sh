#!/usr/bin/env bash
# Metrics in CloudWatch that the agent does not measure itself: trainyard-node writes them, the agent sends them.
# 50-cloudwatch lets the agent follow the file.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need TRAINYARD_RELEASE TRAINYARD_ROLE TRAINYARD_CLOUDWATCH_METRICS
drop_in=
[[ $TRAINYARD_ROLE != compute-gpu ]] || drop_in=trainyard-node-cloudwatch-gpu.conf
own_service trainyard-node-cloudwatch.service "$drop_in"
finish

#!/usr/bin/env bash
# Puts the job gate into ParallelCluster's prolog folder, from which Slurm runs it on every node of a job. The head node
# exports the folder to all of them: https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html
#
# Slurm runs whatever has a name there, executable or not, and drains nodes where that fails. So the script gets its name
# last. Slurm's order is the reverse of the alphabet, and AWS advises to leave 90_pcluster_health_check_manager first.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PROLOGS=$ROOT/opt/slurm/etc/scripts/prolog.d

[[ -d $PROLOGS ]] ||
  fail 1 "$PROLOGS is missing: ParallelCluster has it since 3.6.0, so use an image of a later version"
put "$PROLOGS/50_trainyard_job_gate" 0755 <"$(dirname "${BASH_SOURCE[0]}")/../job-gate.sh"
finish

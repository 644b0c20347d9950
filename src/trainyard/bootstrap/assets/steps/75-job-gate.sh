#!/usr/bin/env bash
# Puts the job gate into ParallelCluster's prolog folder, and what looks at nodes after jobs into its epilog folder, from
# which Slurm runs them on every node of a job. The head node exports both to all of them:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html
#
# Slurm runs whatever has a name there, executable or not, and drains nodes where that fails. So the script gets its name
# last. Slurm's order is the reverse of the alphabet, and AWS advises to leave 90_pcluster_health_check_manager first.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

SCRIPTS=$ROOT/opt/slurm/etc/scripts

for folder in "$SCRIPTS/prolog.d" "$SCRIPTS/epilog.d"; do
  [[ -d $folder ]] ||
    fail 1 "$folder is missing: ParallelCluster has it since 3.6.0, so use an image of a later version"
done
put "$SCRIPTS/prolog.d/50_trainyard_job_gate" 0755 <"$(dirname "${BASH_SOURCE[0]}")/../job-gate.sh"
put "$SCRIPTS/epilog.d/50_trainyard_health" 0755 <"$(dirname "${BASH_SOURCE[0]}")/../job-epilog.sh"
finish

#!/usr/bin/env bash
# Puts the script that joins the nodes of a job to one IMEX domain into ParallelCluster's prolog folder, where the cluster
# has UltraServers. It runs before all others: Slurm's order is the reverse of the alphabet.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-imex-p6e-gb200-instance.html
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PROLOGS=$ROOT/opt/slurm/etc/scripts/prolog.d

[[ -d $PROLOGS ]] ||
  fail 1 "$PROLOGS is missing: ParallelCluster has it since 3.6.0, so use an image of a later version"
put "$PROLOGS/91_trainyard_imex" 0755 <"$(dirname "${BASH_SOURCE[0]}")/../imex-prolog.sh"
finish

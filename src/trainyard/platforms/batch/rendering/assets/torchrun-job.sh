#!/bin/bash
# What every node of a torchrun job runs. AWS Batch says who is the main node; its own address it does not tell that one.
# https://docs.aws.amazon.com/batch/latest/userguide/mnp-env-vars.html
# https://docs.pytorch.org/docs/stable/elastic/run.html
#
# TRAINYARD_PROGRAM: the script to train with. TRAINYARD_ARGUMENTS: its arguments, with spaces between.
# TRAINYARD_RANKS_PER_NODE: processes on a node, one for each accelerator.
set -euo pipefail

main_address=${AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-$(hostname -i | cut -d ' ' -f 1)}
read -r -a arguments <<<"${TRAINYARD_ARGUMENTS:-}"
exec torchrun \
  --nnodes "${AWS_BATCH_JOB_NUM_NODES:-1}" --node-rank "${AWS_BATCH_JOB_NODE_INDEX:-0}" \
  --nproc-per-node "$TRAINYARD_RANKS_PER_NODE" \
  --master-addr "$main_address" --master-port "${TRAINYARD_PORT:-29500}" \
  "$TRAINYARD_PROGRAM" ${arguments[@]+"${arguments[@]}"}

#!/usr/bin/env bash
# What each node of a training run on AWS Batch starts: torchrun, or a launch script. It is the command of the containers.
# https://docs.aws.amazon.com/batch/latest/userguide/mnp-env-vars.html
#
# start-batch-node.sh WORD...   the program of torchrun with its arguments, or the launch script with its own
#
# TRAINYARD_KIND      torchrun or script
# TRAINYARD_FOLDER    where the program is run, or empty
# TRAINYARD_PROGRESS  the folder of the run's progress
# GPUS_PER_NODE       processes on a node
set -euo pipefail

main() {
  # The main node's own address Batch does not tell that one.
  MASTER_ADDR=${AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-$(hostname -i | cut -d ' ' -f 1)}
  export MASTER_ADDR MASTER_PORT=29500
  export NNODES=${AWS_BATCH_JOB_NUM_NODES:-1} NODE_RANK=${AWS_BATCH_JOB_NODE_INDEX:-0}
  mkdir -p "$TRAINYARD_PROGRESS"
  if [ -n "$TRAINYARD_FOLDER" ]; then
    cd "$TRAINYARD_FOLDER"
  fi
  if [ "$TRAINYARD_KIND" = script ]; then
    exec "$@"
  fi
  # Batch starts the whole job again, on nodes that work: torchrun itself would start on the same ones.
  exec torchrun --max-restarts=0 \
    --nnodes="$NNODES" --node-rank="$NODE_RANK" --nproc-per-node="$GPUS_PER_NODE" \
    --master-addr="$MASTER_ADDR" --master-port="$MASTER_PORT" "$@"
}

main "$@"

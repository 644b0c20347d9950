#!/usr/bin/env bash
# What each node of a training run starts: torchrun, or a launch script.
#
# start-node.sh WORD...   the program of torchrun with its arguments, or the launch script with its own
#
# TRAINYARD_KIND         torchrun, ft_launcher or script
# TRAINYARD_PYTHON       the interpreter that has torch
# TRAINYARD_FOLDER       where the program is run, or empty
# TRAINYARD_FILES        where trainyard_progress.py lies, for the program to import
# TRAINYARD_HANG_S       after how many seconds without a line of progress the run hangs
# TRAINYARD_ATTEMPT      a folder of this start, where it says that the program has failed here
# GPUS_PER_NODE          processes on a node
set -euo pipefail

# The first to fail is the one to look at: the others fail because they have lost it.
fail() {
  trap '' TERM # a trap within the substitution below would break it
  printf '%s %s %s\n' "$(date +%s.%N)" "${SLURMD_NODENAME:-$(hostname)}" "$1" >>"$TRAINYARD_ATTEMPT/failures"
  exit "$1"
}

# ft_launcher starts the ranks again by itself, with the nodes whose health service says that they are well.
# https://github.com/NVIDIA/nvidia-resiliency-ext/blob/v0.6.0/docs/source/fault_tolerance/usage_guide.rst
run_ft_launcher() {
  local folder service status=0
  folder="$(mktemp -d)"
  "$TRAINYARD_PYTHON" "$TRAINYARD_FILES/health_service.py" "$folder/health.sock" &
  service=$!
  # Not with -m: a second copy of that module, which the rendezvous imports, would know of no endpoint.
  "$TRAINYARD_PYTHON" -c 'from nvidia_resiliency_ext.fault_tolerance.launcher import main; main()' \
    --max-restarts="$TRAINYARD_RESTARTS" --nnodes="$NNODES" --nproc-per-node="$GPUS_PER_NODE" \
    --rdzv-backend=c10d --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" --rdzv-id="$SLURM_JOB_ID" \
    --ft-node-health-check-endpoint="unix://$folder/health.sock" "$@" || status=$?
  kill "$service" 2>/dev/null || true # without grpc it has ended
  # Where it does not let this node join, ft_launcher 0.6 ends with 0, later ones with 1.
  if [ "$status" -eq 0 ] && [ -e "$folder/refused" ]; then
    status=1
  fi
  rm -rf "$folder"
  return "$status"
}

main() {
  # The names that launch scripts of Megatron-LM take:
  # https://github.com/NVIDIA/Megatron-LM/blob/main/examples/gpt3/train_gpt3_175b_distributed.sh
  export NNODES=$SLURM_NNODES NODE_RANK=$SLURM_NODEID
  export PYTHONPATH="$TRAINYARD_FILES${PYTHONPATH:+:$PYTHONPATH}"
  # run-training.sh is to see a hang before the ranks end themselves: it has the stacks of those that cannot.
  export TRAINYARD_HANG_S=$((2 * TRAINYARD_HANG_S))
  if [ -n "$TRAINYARD_FOLDER" ]; then
    cd "$TRAINYARD_FOLDER"
  fi
  # Where another node has failed, Slurm tells this one to end: that is said too, after the program has ended.
  trap : TERM
  if [ "$TRAINYARD_KIND" = script ]; then
    "$@" || fail "$?"
    return
  fi
  if [ "$TRAINYARD_KIND" = ft_launcher ]; then
    run_ft_launcher "$@" || fail "$?"
    return
  fi
  # Slurm starts the job again, on nodes that work: torchrun itself would start on the same ones.
  "$TRAINYARD_PYTHON" -m torch.distributed.run --max-restarts=0 \
    --nnodes="$NNODES" --node-rank="$NODE_RANK" --nproc-per-node="$GPUS_PER_NODE" \
    --master-addr="$MASTER_ADDR" --master-port="$MASTER_PORT" "$@" || fail "$?"
}

main "$@"

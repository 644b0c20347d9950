#!/usr/bin/env bash
# Keeps jobs off a node until its deferred bootstrap steps are done, and off one with accelerators that is sick. Slurm runs
# this as root on every node of a job, before the job, as one of the scripts in ParallelCluster's prolog.d.
#
#   0   the node may take the job: it is ready, it is held and the job is root's, or trainyard runs nothing on it
#   1   it may not: Slurm drains the node, and clustermgtd replaces the node
#
# Only batch jobs are requeued by Slurm then: jobs of srun and salloc end, and so do those with --no-requeue.
# https://slurm.schedmd.com/prolog_epilog.html#failure_handling, https://slurm.schedmd.com/sbatch.html#OPT_no-requeue
#
# A job that waits for its prolog longer than BatchStartTimeout may be taken for lost, so the wait ends before that.
# ParallelCluster sets 180 seconds; who defers longer steps on compute nodes raises it in CustomSlurmSettings.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html
# https://slurm.schedmd.com/slurm.conf.html#OPT_BatchStartTimeout
# https://slurm.schedmd.com/prolog_epilog.html: no search path is set, and no Slurm command may be called.
set -euo pipefail
# An empty part of a search path is the folder that somebody calls it in.
export PATH=${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin

ROOT=${TRAINYARD_SYSROOT:-}
RECORD=$ROOT/var/lib/trainyard/bootstrap.json
SLURM=$ROOT/opt/slurm/etc
PAUSE_S=${TRAINYARD_GATE_PAUSE_S:-2}

# Prints the state of the node's bootstrap.
state() {
  if [[ -e $ROOT/run/trainyard/ready || ! -e $RECORD ]]; then
    echo ready
  else
    python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["status"])' "$RECORD" 2>/dev/null || echo unknown
  fi
}

# Prints why the node is sick; nothing where it is well, or where its queue is not looked at. DCGM takes too long for a
# prolog, and a check that hangs keeps nobody from jobs: https://github.com/aws/aws-parallelcluster/issues/6777
sickness() {
  grep --quiet --no-messages "^TRAINYARD_HEALTH_CHECKS='1'$" "$ROOT/etc/trainyard/node.env" || return 0
  timeout --kill-after=5 20 "$ROOT/usr/local/bin/trainyard-node" health --slurm --skip gpu-dcgm || true
}

# Prints for how long to wait. The later file is read later, so its setting wins.
limit_s() {
  local set_s
  set_s=$(sed -n -E 's/^[[:space:]]*BatchStartTimeout[[:space:]]*=[[:space:]]*([0-9]+).*/\1/Ip' \
    "$SLURM/slurm.conf" "$SLURM/pcluster/custom_slurm_settings_include_file_slurm.conf" 2>/dev/null | tail -n 1) || true
  set_s=${set_s:-180}
  echo $((set_s > 60 ? set_s - 30 : set_s / 2))
}

turn_away() {
  logger -t trainyard -- "job gate: $1" || true
  echo "trainyard: $1" >&2
  exit 1
}

limit=$(limit_s)
for ((waited_s = 0; ; waited_s += PAUSE_S)); do
  found=$(state)
  case $found in
  ready)
    [[ ${SLURM_JOB_UID:-} != 0 ]] || exit 0 # root tests sick nodes
    sick=$(sickness)
    [[ -z $sick ]] || turn_away "this node is sick, so it takes only root's jobs: ${sick#trainyard: }"
    exit 0
    ;;
  held)
    [[ ${SLURM_JOB_UID:-} != 0 ]] || exit 0
    turn_away "this node is held because it lacks something that is required, so it takes only root's jobs: see $RECORD"
    ;;
  failed) turn_away "the bootstrap of this node failed, so it takes no jobs: see $RECORD" ;;
  esac
  ((waited_s < limit)) ||
    turn_away "the bootstrap of this node is $found after $limit seconds: see 'trainyard-node bootstrap-status'; raise BatchStartTimeout where its deferred steps need longer"
  sleep "$PAUSE_S"
done

#!/usr/bin/env bash
# Joins the nodes of a job to one IMEX domain, in which GPUs of an UltraServer reach each other's memory over NVLink. Slurm
# runs this as root on every node of a job, before the job, as one of the scripts in ParallelCluster's prolog.d.
#
# ParallelCluster installs and enables nvidia-imex on P6e-GB200; which nodes are in the domain, only the job says:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-imex-p6e-gb200-instance.html
# IMEX starts anew for that, so it is done only for jobs that have their nodes to themselves. The nodes that it names must
# be the same on all of them: https://docs.nvidia.com/multi-node-nvlink-systems/imex-guide/config.html
#
# It never turns a job away: one that cannot use NVLink between nodes runs over EFA, and the journal says why.
set -euo pipefail
# Slurm sets no search path, and an empty part of one is the folder that somebody calls it in.
export PATH=${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin

ROOT=${TRAINYARD_SYSROOT:-}
SERVICE=nvidia-imex.service
NODES=$ROOT/etc/nvidia-imex/nodes_config.cfg
CHANNELS=$ROOT/dev/nvidia-caps-imex-channels
SCONTROL=$ROOT/opt/slurm/bin/scontrol

leave() {
  logger -t trainyard -- "imex of job ${SLURM_JOB_ID:-unknown}: $1" || true
  exit 0
}

# The number under which the driver makes channels; nothing on nodes without them.
major() {
  sed -n 's/^ *\([0-9][0-9]*\) nvidia-caps-imex-channels$/\1/p' "$ROOT/proc/devices" 2>/dev/null
}

# https://docs.nvidia.com/multi-node-nvlink-systems/imex-guide/imexchannels.html
make_channel() {
  [[ ! -e $CHANNELS/channel0 ]] || return 0
  mkdir -p "$CHANNELS" && mknod "$CHANNELS/channel0" c "$1" 0
}

# Prints the addresses of the job's nodes, a line each.
addresses() {
  timeout 60 "$SCONTROL" --all --oneliner show node "$SLURM_JOB_NODELIST" | sed -n 's/^.* NodeAddr=\([^ ]*\).*/\1/p'
}

number=$(major)
[[ -n $number ]] || exit 0
systemctl --quiet is-enabled "$SERVICE" 2>/dev/null || leave "$SERVICE is not enabled, so NVLink between nodes is not used"
case ${SLURM_JOB_OVERSUBSCRIBE:-} in
NO | TOPO) ;;
*) leave "it shares nodes with other jobs, so NVLink between nodes is not set up: submit it with --exclusive" ;;
esac
make_channel "$number" || leave "cannot make $CHANNELS/channel0"
found=$(addresses) || found=""
[[ -n $found ]] || leave "scontrol does not say which addresses $SLURM_JOB_NODELIST have"
{ printf '%s\n' "$found" >"$NODES.new" && mv -T "$NODES.new" "$NODES"; } || leave "cannot write $NODES"
timeout 15 systemctl stop "$SERVICE" || systemctl kill --signal=KILL "$SERVICE" || true
timeout 60 systemctl start "$SERVICE" || leave "$SERVICE does not start: see journalctl --unit=$SERVICE"

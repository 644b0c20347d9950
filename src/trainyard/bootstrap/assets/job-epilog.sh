#!/usr/bin/env bash
# Looks at the health of a node after each job, where its queue has accelerators and the spec does not switch that off.
# Slurm runs this as root on every node of a job, after the job, as one of the scripts in ParallelCluster's epilog.d.
#
# An epilog may not call Slurm, and one that fails drains the node; so a unit of systemd checks, and holds a sick node,
# while the epilog ends at once. Where one runs already, systemd refuses a second of its name.
# https://slurm.schedmd.com/prolog_epilog.html
set -euo pipefail
# Slurm sets no search path, and an empty part of one is the folder that somebody calls it in.
export PATH=${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin

ROOT=${TRAINYARD_SYSROOT:-}

grep --quiet --no-messages "^TRAINYARD_HEALTH_CHECKS='1'$" "$ROOT/etc/trainyard/node.env" || exit 0
systemd-run --quiet --no-block --collect --unit=trainyard-health \
  "$ROOT/opt/trainyard/current/health/slurm-health-check.sh" 2>/dev/null || true

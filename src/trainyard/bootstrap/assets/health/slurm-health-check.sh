#!/usr/bin/env bash
# Checks the health of this node, holds it while it is sick and gives it back when it is well. As a script of its own,
# because Slurm's HealthCheckProgram takes no options. It is that where the spec does not switch health checks off, and the
# epilog of jobs starts it too.
#
# Slurm runs it as root on all nodes at once, without a search path, and ends it after 60 seconds: the checks take ten at
# most, and a node that is well asks slurmctld nothing. https://slurm.schedmd.com/slurm.conf.html#OPT_HealthCheckProgram
# Before slurmd runs, where it fetches slurm.conf for the node, no command of Slurm answers. A node that is sick by then is
# held by the next run. https://github.com/mej/nhc/issues/159
set -euo pipefail
# An empty part of a search path is the folder that somebody calls it in.
export PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

exec "${TRAINYARD_SYSROOT:-}/usr/local/bin/trainyard-node" health --slurm --hold

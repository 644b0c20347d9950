#!/bin/sh
# What slurmd of a lab runs every few seconds: a node that somebody has made sick is drained, with the reason.
here="$(cd "$(dirname "$0")/.." && pwd)"
node="${SLURMD_NODENAME:-}"
[ -n "$node" ] && [ -e "$here/sick/$node" ] || exit 0
SLURM_CONF="$here/slurm.conf" exec "$here/bin/scontrol" update "NodeName=$node" State=DRAIN \
  "Reason=trainyard: $(head -c 200 "$here/sick/$node")"

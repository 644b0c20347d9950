#!/usr/bin/env bash
# Prints what tells why a node is bad, compressed: its health, its GPUs, Xids, the kernel's messages, EFA's counters and
# how its bootstrap went. A part that cannot be had says why; none may hang, because a driver that is ill does.
set -uo pipefail
export LC_ALL=C
export PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

readonly WITHIN_S=${TRAINYARD_EVIDENCE_S:-8} MOST_LINES=150

# part NAME COMMAND...: prints a part, of which the last lines count, as root where that is allowed.
part() {
  local name=$1 status root=()
  shift
  ((UID == 0)) || root=(sudo -n)
  printf '== %s\n' "$name"
  "${root[@]}" timeout --kill-after=2 "$WITHIN_S" "$@" 2>&1 </dev/null | tail -n "$MOST_LINES"
  status=${PIPESTATUS[0]}
  ((status == 0)) || printf 'it ended with status %s\n' "$status"
}

efa_counters() {
  grep -H '' /sys/class/infiniband/*/ports/1/hw_counters/* 2>/dev/null | grep -v ':0$'
}

main() {
  part health trainyard-node health --json
  part gpus nvidia-smi --format=csv --query-gpu=index,uuid,serial,pci.bus_id,name,temperature.gpu,ecc.errors.uncorrected.volatile.total
  part xid bash -c 'dmesg --ctime | grep -E "NVRM|Xid|nvidia-nvswitch"'
  part efa bash -c "$(declare -f efa_counters); efa_counters"
  part dmesg dmesg --ctime --level=emerg,alert,crit,err,warn
  part bootstrap cat /var/lib/trainyard/bootstrap.json
}

main | gzip --stdout

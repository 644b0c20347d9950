#!/usr/bin/env bash
# Writes where the processes of a hanging run stand on this node, before they are killed: by py-spy where it is there
# (https://github.com/benfred/py-spy), otherwise by what the kernel says of each thread.
#
# write-stacks.sh DIR    the folder that the files go to, one for each node
set -uo pipefail

# Those of this job by its number, whichever user's name they have.
processes_of_job() {
  local place
  for place in /proc/[0-9]*; do
    { tr '\0' '\n' <"$place/environ" | grep -qx "SLURM_JOB_ID=$SLURM_JOB_ID"; } 2>/dev/null || continue
    { tr '\0' ' ' <"$place/cmdline" | grep -q python && printf '%s\n' "${place#/proc/}"; } 2>/dev/null
  done
}

stacks_of() {
  local thread
  printf '== process %s: %s\n' "$1" "$(tr '\0' ' ' <"/proc/$1/cmdline" | cut -c 1-200)"
  if command -v py-spy >/dev/null && timeout 20 py-spy dump --pid "$1" 2>/dev/null; then
    return
  fi
  for thread in "/proc/$1/task"/[0-9]*; do
    printf 'thread %s: state %s, waits in %s\n' "${thread##*/}" \
      "$(sed 's/.*) //' "$thread/stat" 2>/dev/null | cut -d ' ' -f 1)" "$(cat "$thread/wchan" 2>/dev/null)"
  done
}

main() {
  local node=${SLURMD_NODENAME:-$(hostname)} process
  mkdir -p "$1"
  for process in $(processes_of_job); do
    stacks_of "$process"
  done >"$1/$node.txt" 2>&1
}

main "$@"

#!/usr/bin/env bash
# The batch part of a training run on Slurm: starts the program on every node, tells it to end in time, and lets Slurm
# start the job again where it has not come to its end.
#
# run-training.sh WORD...    what start-node.sh runs
#
# TRAINYARD_RUN_FOLDER  the folder of the run, on a file system of all nodes
# TRAINYARD_FILES       the folder of these scripts, on such a file system too
# TRAINYARD_RESTARTS    how often it may be started again
# TRAINYARD_HANG_S      after how many seconds without a line of progress it hangs
# TRAINYARD_ENDS_AT     Unix time at which the nodes are to be left alone, a while before a Capacity Block ends; or empty
# TRAINYARD_IMAGE       image to run in, and TRAINYARD_MOUNTS what it sees of the node; or empty
set -euo pipefail

say() {
  printf 'run-training: %s\n' "$*" >&2
}

# torchrun dies of the signal itself, so the program learns of it by a file.
ask_to_stop() {
  say "told to end: the program writes a checkpoint"
  : >"$TRAINYARD_STOP" || say "$TRAINYARD_STOP cannot be written: the program is not told"
}

ask_before_the_end() {
  local left=$((TRAINYARD_ENDS_AT - $(date +%s)))
  [ "$left" -le 0 ] || sleep "$left"
  kill -USR1 "$1"
}

in_container() {
  [ -z "$TRAINYARD_IMAGE" ] ||
    printf '%s\n' "--container-image=$TRAINYARD_IMAGE" "--container-mounts=$TRAINYARD_MOUNTS"
}

# Print where Slurm itself reaches the first node: its name need not be one of DNS.
first_address() {
  local first
  first="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
  scontrol --oneliner show node "$first" | sed --quiet 's/.* NodeAddr=\([^ ]*\).*/\1/p'
}

# Print from when silence counts: when a rank has last told of progress in this start. Where only ranks of earlier starts
# have told of some, this one has half an hour (TRAINYARD_HANG_S where that is longer) to begin, for its image, NCCL and a
# checkpoint. Nothing where the program tells of none.
silent_since() {
  local last begun
  last="$(find "$TRAINYARD_PROGRESS" -name 'rank-*.jsonl' -printf '%T@\n' | sort --numeric-sort | tail -n 1 | cut -d . -f 1)"
  begun="$(stat --format=%Y "$TRAINYARD_ATTEMPT/begun" 2>/dev/null)" || return 0
  if [ -n "$last" ] && [ "$last" -le "$begun" ]; then
    last=$((begun + (TRAINYARD_HANG_S < 1800 ? 1800 - TRAINYARD_HANG_S : 0)))
  fi
  printf '%s\n' "$last"
}

# A rank that hangs lets all others wait, and Slurm sees a job that runs.
watch_progress() {
  local last silent_s
  while sleep $((TRAINYARD_HANG_S < 40 ? 1 : TRAINYARD_HANG_S / 40)); do
    last="$(silent_since)"
    [ -n "$last" ] || continue
    silent_s=$(($(date +%s) - last))
    [ "$silent_s" -ge "$TRAINYARD_HANG_S" ] || continue
    say "no rank has told of progress for $silent_s s: it hangs"
    kill -USR2 "$1"
    return
  done
}

write_stacks() {
  say "where its processes stand is written to $TRAINYARD_ATTEMPT/stacks"
  timeout 120 srun --overlap --ntasks-per-node=1 --kill-on-bad-exit=0 \
    bash "$TRAINYARD_FILES/write-stacks.sh" "$TRAINYARD_ATTEMPT/stacks" || say "not all stacks could be written"
}

# A signal ends `wait`, and not what it waits for.
wait_for() {
  local status=0
  while [ -z "$hangs" ]; do
    status=0
    wait "$1" || status=$?
    kill -0 "$1" 2>/dev/null || return "$status"
  done
  return 124
}

# Write down which node was the first to fail: the one that could not even say so, or the earliest that did.
write_first_to_fail() {
  local failures="$TRAINYARD_ATTEMPT/failures" silent
  [ -e "$failures" ] || return 0
  silent="$(comm -23 <(scontrol show hostnames "$SLURM_JOB_NODELIST" | sort) <(cut -d ' ' -f 2 "$failures" | sort -u))"
  if [ "$(wc -w <<<"$silent")" -ne 1 ]; then
    silent="$(sort --numeric-sort "$failures" | head -n 1 | cut -d ' ' -f 2)"
  fi
  printf '%s\n' "$silent" >"$TRAINYARD_ATTEMPT/first-to-fail"
}

first_to_fail() {
  cat "$TRAINYARD_RUN_FOLDER/attempts/$SLURM_JOB_ID-$1/first-to-fail" 2>/dev/null || true
}

# Whether the queue has enough nodes that work without one, and without those in a file.
enough_without() {
  local working
  working="$(sinfo --noheader --partition="$SLURM_JOB_PARTITION" --Node --format='%N %T' |
    grep -E ' (idle|allocated|mixed|completing|planned)[~#%+-]?$' | cut -d ' ' -f 1 | sort -u |
    grep -cvxF -e "$1" -f "$2" || true)"
  [ "$working" -ge "$SLURM_JOB_NUM_NODES" ]
}

# Print the nodes to be left out from now on: those before, and one that has failed first twice running.
nodes_to_leave_out() {
  local left_out="$TRAINYARD_RUN_FOLDER/attempts/$SLURM_JOB_ID-left-out" restarts=${SLURM_RESTART_COUNT:-0} now before
  touch "$left_out"
  now="$(first_to_fail "$restarts")"
  before="$(first_to_fail "$((restarts - 1))")"
  if [ -n "$now" ] && [ "$now" = "$before" ] && enough_without "$now" "$left_out"; then
    say "$now has failed first in two starts running, and is left out from now on"
    printf '%s\n' "$now" >>"$left_out"
  fi
  paste -s -d , "$left_out"
}

# Only a job that waits takes the word; Slurm tells this script to end meanwhile.
leave_out() {
  local tries
  for ((tries = 0; tries < 25; tries++)); do
    scontrol update "JobId=$SLURM_JOB_ID" "ExcNodeList=$1" 2>/dev/null && return
    sleep 1
  done
  say "Slurm does not take the word to leave out $1"
}

start_again() {
  local restarts=${SLURM_RESTART_COUNT:-0} without
  if [ -n "$TRAINYARD_ENDS_AT" ] && [ "$(date +%s)" -ge "$TRAINYARD_ENDS_AT" ]; then
    say "the nodes are going: not started again"
    return 1
  fi
  if [ "$restarts" -ge "$TRAINYARD_RESTARTS" ]; then
    say "started again $restarts times already: not once more"
    return 1
  fi
  without="$(nodes_to_leave_out)" || without="" # what cannot be written down keeps nobody from going on
  say "starting again, for time $((restarts + 1)) of $TRAINYARD_RESTARTS"
  trap '' TERM
  scontrol requeue "$SLURM_JOB_ID" || return 1
  [ -z "$without" ] || leave_out "$without"
  trap - TERM
  sleep 120 # Slurm ends this script
  return 1
}

# A file system that is full has room again once somebody has seen it: until then a start would only fail, for good.
make_folders() {
  local end=$((SECONDS + TRAINYARD_HANG_S)) told="" why
  until why="$({ mkdir -p "$TRAINYARD_PROGRESS" "$TRAINYARD_ATTEMPT" && touch "$TRAINYARD_ATTEMPT/begun"; } 2>&1)"; do
    [ "$why" = "$told" ] || say "waits up to $TRAINYARD_HANG_S s until its folder can be written: $why"
    told="$why"
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep $((TRAINYARD_HANG_S < 40 ? 1 : TRAINYARD_HANG_S / 40))
  done
}

main() {
  local status=0 options=() step watcher
  hangs=""
  MASTER_ADDR="$(first_address)"
  # Another one for each start: what hangs of the last one may still hold its own.
  MASTER_PORT=${MASTER_PORT:-$((10000 + (SLURM_JOB_ID * 7 + ${SLURM_RESTART_COUNT:-0}) % 7000))}
  TRAINYARD_PROGRESS="$TRAINYARD_RUN_FOLDER/progress"
  TRAINYARD_ATTEMPT="$TRAINYARD_RUN_FOLDER/attempts/$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}"
  TRAINYARD_STOP="$TRAINYARD_ATTEMPT/stop"
  export MASTER_ADDR MASTER_PORT TRAINYARD_PROGRESS TRAINYARD_ATTEMPT TRAINYARD_STOP
  # Told to end while it waits, there is nothing to save.
  trap 'start_again || exit 1' USR1
  make_folders || start_again || return 1
  rm -f "$TRAINYARD_STOP" "$TRAINYARD_ATTEMPT/failures" "$TRAINYARD_ATTEMPT/first-to-fail"
  trap ask_to_stop USR1
  trap 'hangs=yes' USR2
  [ -z "$TRAINYARD_ENDS_AT" ] || ask_before_the_end "$$" &
  mapfile -t options < <(in_container)
  # One rank that fails would leave the others waiting: https://slurm.schedmd.com/srun.html (--kill-on-bad-exit)
  srun --ntasks-per-node=1 --kill-on-bad-exit=1 ${options[@]+"${options[@]}"} \
    bash "$TRAINYARD_FILES/start-node.sh" "$@" &
  step=$!
  watch_progress "$$" &
  watcher=$!
  wait_for "$step" || status=$?
  kill "$watcher" 2>/dev/null || true # it must not speak of the next start
  if [ -n "$hangs" ]; then
    write_stacks
  else
    write_first_to_fail || say "which node was the first to fail cannot be written"
  fi
  if [ "$status" -eq 0 ] && [ ! -e "$TRAINYARD_STOP" ]; then
    say "the program has come to its end"
    return 0
  fi
  say "the program has ended with status $status"
  start_again || return $((status ? status : 1)) # cut short is not completed
}

main "$@"

# shellcheck shell=bash
# The first thing that every stand-in does: it writes down how it was called, and fails where the test wants it to.
#
# $STUB/calls         a line a call, its words separated by the unit separator
# $STUB/fails/NAME    "TIMES STATUS TEXT": the next calls of NAME end with that status and say that text
# A full disk is the step's, never ours.
ulimit -S -f unlimited
name=${0##*/}
{
  line=$(printf '%s\x1f' "$name" "$@")
  printf '%s\n' "${line//$'\n'/ }"
} >>"$STUB/calls"
if [[ -f $STUB/fails/$name ]]; then
  read -r times status text <"$STUB/fails/$name"
  if ((times > 0)); then
    printf '%s\n' "$((times - 1)) $status $text" >"$STUB/fails/$name"
    printf '%s\n' "$text" >&2
    exit "$status"
  fi
fi

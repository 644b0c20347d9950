#!/usr/bin/env bash
# Runs one command on the head node and prints what came of it in one line that banners cannot be mistaken for:
#   trainyard-answer STATUS SIZE OUTPUT ERROR
# OUTPUT and ERROR are base64, SIZE is how many bytes the whole output has.
#
# run.sh LIMIT COMMAND [INPUT]
#   LIMIT    how many bytes of output are passed on
#   COMMAND  base64 of the words of the command, each ended by a zero byte
#   INPUT    base64 of its standard input
set -euo pipefail
export LC_ALL=C

readonly MOST_ERROR_BYTES=1000

fail() {
  printf 'trainyard: error: %s\n' "$1" >&2
  exit 70
}

# encoded FILE BYTES: prints the beginning of a file as base64; a dash where it is empty.
encoded() {
  local text
  text=$(head --bytes="$2" "$1" | base64 --wrap=0)
  printf '%s' "${text:--}"
}

main() {
  local limit=$1 status=0
  local -a words
  place=$(mktemp --directory) || fail "no temporary folder can be made on the head node: is its disk full?"
  trap 'rm -rf "$place"' EXIT
  mapfile -d '' -t words < <(base64 --decode <<<"$2")
  base64 --decode <<<"${3:-}" >"$place/in"
  "${words[@]}" <"$place/in" >"$place/out" 2>"$place/err" || status=$?
  printf 'trainyard-answer %s %s %s %s\n' "$status" "$(stat --format=%s "$place/out")" \
    "$(encoded "$place/out" "$limit")" "$(encoded "$place/err" "$MOST_ERROR_BYTES")"
}

main "$@"

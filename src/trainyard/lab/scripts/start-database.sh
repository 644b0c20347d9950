#!/bin/sh
# Starts the MariaDB of a lab in the background, with what it says in the lab's log.
here="$(cd "$(dirname "$0")/.." && pwd)"
"$here/bin/mariadbd" "$@" </dev/null >"$here/log/mariadbd.log" 2>&1 &

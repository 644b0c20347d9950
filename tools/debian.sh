#!/usr/bin/env bash
# Installs Debian packages where that is allowed. To be sourced.

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && sudo --non-interactive true 2>/dev/null; then
    sudo --non-interactive "$@"
  else
    echo "run this as root, then try again: $*" >&2
    return 1
  fi
}

install_quietly() {
  local log
  log="$(mktemp)"
  if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "$@"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# Debian starts services of packages unless a policy says no: invoke-rc.d(8)
install_without_services() (
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 0755 "$policy"
    trap 'as_root rm -f "$policy"' EXIT
  fi
  install_quietly "$@"
)

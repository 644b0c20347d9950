#!/usr/bin/env bash
# Installs Prometheus, promtool, Alertmanager and amtool for tests that ask real ones, unless they are there. Their services
# are not started.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

missing=()
if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
  missing+=(prometheus)
fi
if ! command -v prometheus-alertmanager >/dev/null || ! command -v amtool >/dev/null; then
  missing+=(prometheus-alertmanager)
fi
if ((${#missing[@]})); then
  echo "${missing[*]} is missing: installing it with apt-get (once)" >&2
  install_without_services "${missing[@]}"
fi

# Prometheus 3, which Debian 12 does not have, from Debian sid. It is unpacked and not installed: its programs are linked
# statically but for libc, of which they want 2.34, so they need no root of their own.
ROOT=.make/prometheus-3
if [ -e "$ROOT/made" ]; then
  exit 0
fi
echo "fetching Prometheus 3 for tests into $ROOT (once)" >&2
rm -rf "$ROOT"
mkdir -p "$ROOT/lists/partial" "$ROOT/cache/archives/partial"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$ROOT/sources.list"
# Without the machine's own sources and packages; apt verifies what it fetches.
apt_of_sid() {
  (cd "$ROOT" && apt-get -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o Dir::State::status=/dev/null \
    -o APT::Sandbox::User=root -o Debug::NoLocking=true "$@")
}
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! { apt_of_sid update && apt_of_sid download prometheus promtool; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  exit 1
fi
for package in "$ROOT"/*.deb; do
  dpkg-deb --extract "$package" "$ROOT"
done
rm -rf "$ROOT"/*.deb "$ROOT/lists" "$ROOT/cache"
touch "$ROOT/made"

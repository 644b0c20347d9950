#!/usr/bin/env bash
# Makes a clean Debian 12 to start as a node in tests: .make/debian-root, once. Needs root, for debootstrap and chroot.
# Brings strace too, by which a test sees what root of such a node opens.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

ROOT=.make/debian-root
MIRROR=http://deb.debian.org/debian

[ ! -e "$ROOT/made" ] || ! command -v strace >/dev/null || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "no Debian root for tests: making one needs root" >&2
  exit 0
fi
command -v strace >/dev/null || install_quietly strace
[ ! -e "$ROOT/made" ] || exit 0
command -v debootstrap >/dev/null || install_quietly debootstrap
echo "making a Debian root for tests in $ROOT (once, about a minute)" >&2
rm -rf "$ROOT"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! {
  debootstrap --variant=minbase --include=python3,procps,jq,ca-certificates bookworm "$ROOT" "$MIRROR" &&
    chroot "$ROOT" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends awscli &&
    chroot "$ROOT" apt-get clean
} >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  exit 1
fi
touch "$ROOT/made"

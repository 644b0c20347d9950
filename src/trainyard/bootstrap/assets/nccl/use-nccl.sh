#!/usr/bin/env bash
# Makes a version of the shared NCCL the current one:
#
#   use-nccl.sh VERSION
#
# The link is replaced at once: a reader finds the former version or the new one, never none. Shells that use the former
# one keep it. Nothing is switched to that is not what its manifest says.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../common.sh"

versions() {
  find "$HOME_OF_NCCL" -mindepth 2 -maxdepth 2 -name manifest.json -not -path '*/.*' -printf '%h\n' 2>/dev/null |
    sed 's|.*/||' | sort -V | paste -s -d ' '
}

# Every file that the manifest names has to be there with its checksum.
verify() {
  python3 - "$1" <<'PYTHON' || fail "$STATUS_DAMAGED" "$1 is not what was built: remove it and build it again"
import hashlib, json, pathlib, sys

root = pathlib.Path(sys.argv[1])
files = json.loads(root.joinpath("manifest.json").read_text())["files"]
if "lib/libnccl.so.2" not in files and not root.joinpath("lib/libnccl.so.2").is_file():
    sys.exit("there is no lib/libnccl.so.2")
for name, digest in files.items():
    file = root / name
    if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        sys.exit(f"{name} has changed or is missing")
PYTHON
}

[[ $# -eq 1 ]] || fail "$STATUS_SETTING" "usage: use-nccl.sh VERSION, such as 2.28.7-1"
need TRAINYARD_SHARED
HOME_OF_NCCL=$ROOT$TRAINYARD_SHARED/nccl
[[ $1 =~ ^[0-9][0-9A-Za-z.-]*$ && -f $HOME_OF_NCCL/$1/manifest.json ]] ||
  fail "$STATUS_SETTING" "there is no NCCL $(printf '%.40q' "$1") in $HOME_OF_NCCL, only: $(versions)"
verify "$HOME_OF_NCCL/$1"
if [[ $(readlink "$HOME_OF_NCCL/current") != "$1" ]]; then
  # A name of its own, so that two who switch at once do not meet.
  new=$HOME_OF_NCCL/.current.$(hostname).$$
  attempt "switch to NCCL $1" ln -s "$1" "$new"
  attempt "switch to NCCL $1" mv -T "$new" "$HOME_OF_NCCL/current"
  note_change "NCCL $1 is current"
fi
finish

#!/usr/bin/env bash
# Bakes what a release installs into the machine that this runs on, as root, so that an image of it can be taken: as a
# component of `pcluster build-image`, or by hand on an instance that was started from the parent image.
#
#   install.sh [RELEASE]
#
# RELEASE is the release as a file; without it, the release is fetched from the cluster's folder in S3. What to bake stands
# below the last line, as JSON: Image Builder runs a script alone and without arguments. It is read as data, never run.
#
# The steps are those that a node runs when it starts; on a node of the image they find everything in place. At the end
# /opt/trainyard/image-inventory.json says what is in the image, and what belongs to this one machine is removed.
# A failure ends the script with one line that says what is wrong, and with the status of the step that failed.
set -euo pipefail
umask 022

ROOT=${TRAINYARD_SYSROOT:-}
BASE=$ROOT/opt/trainyard
FIRST_PAUSE_S=${TRAINYARD_FIRST_PAUSE_S:-5}
ATTEMPTS=5
# Where ParallelCluster installs the AWS command line and its own clean-up.
PATH=$PATH:/usr/local/bin:/usr/local/sbin

say() {
  echo "trainyard: $1"
}

fail() {
  echo "trainyard: $1" >&2
  exit "${2:-1}"
}

# settings FILE: prints what stands below the marker of a file, one value a line; fails where it is not what it should be.
settings() {
  python3 -I - "$1" <<'PYTHON'
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read().rpartition("\n__SETTINGS__\n")[2]
values = json.loads(text)
forms = {
    "folder": r"s3://[a-z0-9][a-z0-9.-]+/[A-Za-z0-9/-]+",
    "region": r"[a-z0-9-]+",
    "sha256": r"[0-9a-f]{64}",
    "file": r"[A-Za-z0-9][A-Za-z0-9._-]*",
    "node": r"(head|login|queue/[A-Za-z0-9-]+)",
}
lines = [values[name] for name in forms]
if not all(re.fullmatch(form, line) for form, line in zip(forms.values(), lines)):
    sys.exit("a value has not the form that it should have")
for step in values["steps"]:
    if not re.fullmatch(r"steps/[0-9]{2}-[a-z0-9-]+\.sh", step["script"]):
        sys.exit("a step is not named as it should be")
    lines.append("%d %s" % (step["timeout_s"], step["script"]))
print("\n".join(lines))
PYTHON
}

read_settings() {
  local lines
  lines=$(settings "$1" 2>/dev/null) || fail "$1 does not end with what to bake: render it again with 'trainyard image'"
  mapfile -t lines <<<"$lines"
  FOLDER=${lines[0]} REGION=${lines[1]} DIGEST=${lines[2]} FILE=${lines[3]} NODE=${lines[4]}
  STEPS=("${lines[@]:5}")
}

# again COMMAND…: runs it again, with pauses that double, as long as it ends with 69 or 75: a server that cannot be reached,
# or a lock that another program holds.
again() {
  local attempt pause=$FIRST_PAUSE_S status
  for ((attempt = 1; ; attempt++)); do
    status=0
    "$@" || status=$?
    ((status == 69 || status == 75)) || return "$status"
    ((attempt < ATTEMPTS)) || return "$status"
    sleep "$pause"
    pause=$((pause * 2))
  done
}

# shellcheck disable=SC2329  # `again` runs it
download() {
  aws s3 cp --only-show-errors --region "$REGION" "$FOLDER/releases/$FILE" "$1" || return 69
}

# get_release [FILE]: puts the release into its place, all of it or nothing, as launch.sh does, and goes there.
get_release() {
  local release=$BASE/releases/$DIGEST archive found
  mkdir -p "$BASE/releases" || fail "cannot write to $BASE: run this as root, on a volume with room" 73
  WORK=$(mktemp -d "$BASE/releases/.new.XXXXXX") || fail "cannot write to $BASE/releases: make room" 73
  archive=${1:-$WORK/archive}
  [[ -n ${1:-} ]] || again download "$archive" ||
    fail "cannot download $FOLDER/releases/$FILE: upload it as the README.md says, and let this machine read it" 69
  found=$(sha256sum "$archive" 2>/dev/null | cut -d ' ' -f 1) || true
  [[ $found == "$DIGEST" ]] || fail "$archive is not the release that this image is for: its SHA-256 is '$found' instead of $DIGEST" 65
  mkdir "$WORK/tree"
  tar --extract --no-same-owner --file "$archive" --directory "$WORK/tree" || fail "cannot unpack $archive: make room below $BASE" 73
  [[ -d $release ]] || mv -T "$WORK/tree" "$release"
  rm -rf "$WORK"
  cd "$release"
}

# Steps read the same settings as on a node, save what only a real node has: its interfaces, GPUs, queue and id.
write_node_env() {
  python3 -I - "$NODE" "$FOLDER" <<'PYTHON' || fail "cannot write the settings for the steps: see the line above" 64
import os
import sys
from pathlib import Path

sys.path.insert(0, "trainyard-node.pyz")
from trainyard_node.errors import NodeError
from trainyard_node.node_env import write_node_env
from trainyard_node.places import Places
from trainyard_node.plan import read_plan
from trainyard_node.this_node import system

places = Places(os.environ.get("TRAINYARD_SYSROOT", ""))
try:
    plan = read_plan(Path.cwd(), sys.argv[1])
    machine = {
        "CLUSTER": plan.cluster, "REGION": plan.region, "FOLDER": sys.argv[2], "RELEASE": os.getcwd(),
        "OS": system(places), "ARCH": os.uname().machine, "INSTANCE_TYPE": "machine that builds an image",
        "QUEUE": "", "EFA_INTERFACES": "", "GPUS": "", "FABRIC": "none",
    }
    write_node_env(places, {**plan.settings, **{"TRAINYARD_" + name: value for name, value in machine.items()}})
except NodeError as error:
    sys.exit("trainyard: %s" % error)
PYTHON
}

run_steps() {
  local step limit script status
  for step in "${STEPS[@]}"; do
    read -r limit script <<<"$step"
    say "$script"
    status=0
    again timeout --kill-after=10 "$limit" bash "$script" </dev/null || status=$?
    ((status != 124 && status != 137)) || fail "$script took longer than $limit seconds" 1
    ((status == 0)) || fail "$script failed, see the line above; the image is not made" "$status"
  done
}

# TRAINYARD_IMAGE_DATE is the time of the build where it should be another than now.
write_inventory() {
  local inventory=$BASE/image-inventory.json
  python3 trainyard-node.pyz versions --json >"$BASE/.versions.json" || fail "cannot find out what is installed"
  python3 -I - "$BASE/.versions.json" "$DIGEST" "$NODE" "${TRAINYARD_IMAGE_DATE:-$(date --utc +%Y-%m-%dT%H:%M:%SZ)}" "${STEPS[@]}" \
    >"$inventory.new" <<'PYTHON' || fail "cannot write $inventory: make room" 73
import json
import re
import sys

versions, release, node, date, *steps = sys.argv[1:]
names = [re.sub(r".*/[0-9]+-(.*)\.sh", r"\1", step) for step in steps]
inventory = {"schema": 1, "date": date, "release": release, "node": node, "steps": names}
with open(versions, encoding="utf-8") as file:
    inventory["versions"] = json.load(file)
print(json.dumps(inventory, indent=2))
PYTHON
  rm "$BASE/.versions.json"
  mv "$inventory.new" "$inventory"
}

# What belongs to one machine, and settings that a node has to write for itself: Docker's name the folder for its images.
# Host keys and the machine's id are made anew when a machine starts: sshd-keygen(8), machine-id(5), cloud-init.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html runs ami_cleanup.sh for the rest.
clean_up() {
  rm -rf "$ROOT/etc/trainyard/node.env" "$ROOT/var/lib/trainyard" "$ROOT/var/log/trainyard" "$ROOT/run/trainyard"
  rm -f "$ROOT/etc/docker/daemon.json" "$ROOT"/etc/ssh/ssh_host_*
  [[ ! -e $ROOT/etc/machine-id ]] || : >"$ROOT/etc/machine-id"
  if command -v ami_cleanup.sh >/dev/null; then
    ami_cleanup.sh || fail "ParallelCluster's ami_cleanup.sh failed, see the lines above"
  fi
}

main() {
  trap 'rm -rf "${WORK:-}"' EXIT
  (($# < 2)) || fail "usage: install.sh [RELEASE]" 64
  command -v python3 >/dev/null || fail "python3 is missing: use an image that ParallelCluster made"
  read_settings "$0"
  get_release "${1:+$(realpath -- "$1")}"
  write_node_env
  run_steps
  write_inventory
  clean_up
  say "baked $FILE for $NODE; stop this machine and take an image of it"
}

main "$@"
exit

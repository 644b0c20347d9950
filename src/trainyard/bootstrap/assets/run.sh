#!/usr/bin/env bash
# Brings this node up from the release that this script lies in. launch.sh runs it with the cluster's folder:
#
#   run.sh s3://BUCKET/trainyard/CLUSTER
set -euo pipefail

fail() {
  echo "trainyard: $1" >&2
  exit 1
}

[[ $# -eq 1 ]] || fail "usage: run.sh s3://BUCKET/FOLDER"
# Into the release itself: /opt/trainyard/current, by which people run this, is a link that is about to be made anew.
cd -P "$(dirname "$0")"
command -v python3 >/dev/null || fail "python3 is missing: use an image that ParallelCluster made"
exec python3 trainyard-node.pyz bootstrap --release "$PWD" --folder "$1"

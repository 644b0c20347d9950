#!/usr/bin/env bash
# From a reference architecture to a cluster in an emulated AWS account, and back to an empty one. Needs no AWS account.
set -euo pipefail

folder="${1:-build/demo}"
spec="$folder/cluster-spec.yaml"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

mkdir -p "$folder"
show trainyard new p5-observability --output "$spec" --force \
  --set "queues[0].capacity.reservation=cr-0a1b2c3d4e5f60718" \
  --set "file_systems[0].lustre.data_repository=s3://ml-datasets/train"
show trainyard check "$spec"
show trainyard plan "$spec"
show trainyard rehearse "$spec" --output "$folder/rehearsal" --force
printf '\nOpen %s in a browser.\n' "$folder/rehearsal/rehearsal.html"
printf 'For a cluster of your own: trainyard architectures, new, check, plan, rehearse, deploy.\n'

#!/usr/bin/env bash
# From a reference architecture to a bundle whose cluster.yaml the real ParallelCluster accepts. Needs no AWS account.
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
show trainyard render "$spec" --output "$folder/ml-cluster-p5" --force
show trainyard check --with-parallelcluster "$spec"
printf '\nThe bundle is in %s; its README.md says how to deploy it by hand.\n' "$folder/ml-cluster-p5"

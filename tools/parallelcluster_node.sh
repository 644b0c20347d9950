#!/usr/bin/env bash
# Makes the environment of clustermgtd, ParallelCluster's daemon on head nodes, in .make/parallelcluster-node, unless it
# is there as tools/parallelcluster-node-requirements.txt has it. It is published as source alone.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.make/parallelcluster-node
requirements=tools/parallelcluster-node-requirements.txt
if ! cmp --silent "$requirements" "$folder/requirements.txt"; then
  echo "making the environment of clustermgtd (once)" >&2
  rm -rf "$folder"
  .make/uv/bin/uv venv --quiet --python "${PYTHON:-python3}" "$folder"
  .make/uv/bin/uv pip install --quiet --require-hashes --build-constraints "$requirements" \
    --python "$folder/bin/python" --requirement "$requirements"
  cp "$requirements" "$folder/requirements.txt"
fi

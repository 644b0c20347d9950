#!/usr/bin/env bash
# Makes the environment of checkov in .make/checkov, unless it is there as tools/checkov-requirements.txt has it.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.make/checkov
if ! cmp --silent tools/checkov-requirements.txt "$folder/requirements.txt"; then
  echo "making the environment of checkov (once)" >&2
  rm -rf "$folder"
  .make/uv/bin/uv venv --quiet --python "${PYTHON:-python3}" "$folder"
  .make/uv/bin/uv pip install --quiet --require-hashes --no-build --python "$folder/bin/python" \
    --requirement tools/checkov-requirements.txt
  cp tools/checkov-requirements.txt "$folder/requirements.txt"
fi

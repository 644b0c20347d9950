#!/usr/bin/env bash
# Installs a Python with torch for tests of the backends gloo and nccl, unless there is one or TORCH_PYTHON names one.
# Debian's is made for CPUs; the one on PyPI brings 3 GB of CUDA.
# Makes .make/torch too, an environment with a torch that has FSDP2, which Debian 12's 1.13 has not: from PyTorch's own
# index, or from where pip is configured to look.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if [ -z "${TORCH_PYTHON:-}" ] && ! [ -d /usr/lib/python3/dist-packages/torch ]; then
  echo "torch is missing: installing it with apt-get (once)" >&2
  install_quietly python3-torch
fi

if [ -z "${TORCH_PYTHON:-}" ] && ! [ -e .make/torch/made ]; then
  echo "making .make/torch with a torch that has FSDP2 (once, about a minute)" >&2
  rm -rf .make/torch
  python3 -m venv .make/torch
  .make/torch/bin/python -m pip install --quiet --retries 1 --timeout 15 \
    --index-url https://download.pytorch.org/whl/cpu 'torch>=2.9' numpy
  touch .make/torch/made
fi

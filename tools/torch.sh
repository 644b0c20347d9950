#!/usr/bin/env bash
# Installs a Python with torch for tests of the backends gloo and nccl, unless there is one or TORCH_PYTHON names one.
# Debian's is made for CPUs; the one on PyPI brings 3 GB of CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/debian.sh
. tools/debian.sh

if [ -z "${TORCH_PYTHON:-}" ] && ! [ -d /usr/lib/python3/dist-packages/torch ]; then
  echo "torch is missing: installing it with apt-get (once)" >&2
  install_quietly python3-torch
fi

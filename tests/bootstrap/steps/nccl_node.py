"""A node that builds NCCL: compilers that only write files, and the sources that they are given."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from tests.bootstrap.steps.scripts import answers, run_script
from tests.bootstrap.steps.stubs import FakeNode

VERSION = "2.28.7-1"
NVCC = """\
case $1 in
--version) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;
--list-gpu-arch) printf 'compute_%s\\n' 80 90 100 103 ;;
esac
"""
# Does what the Makefiles of NCCL, nccl-tests and aws-ofi-nccl do, with text for libraries. Slow where a test says so.
MAKE = """\
for word in "$@"; do
  case $word in
  *=*) declare "${word%%=*}=${word#*=}" ;;
  esac
done
[[ ! -e $STUB/slow ]] || { touch "$STUB/compiling" && exec /bin/sleep 600; }
case $* in
*" src.build "*) mkdir -p "$BUILDDIR" && echo "NCCL for $NVCC_GENCODE in $PREFIX" >"$BUILDDIR/libnccl.so.2" ;;
*" src.install "*)
  mkdir -p "$PREFIX/lib" && cp "$BUILDDIR/libnccl.so.2" "$PREFIX/lib/" &&
    ln -s libnccl.so.2 "$PREFIX/lib/libnccl.so" && echo static >"$PREFIX/lib/libnccl_static.a"
  ;;
*"/inspector "*) echo inspector >"$2/libnccl-profiler-inspector.so" ;;
*" MPI=1 "*) mkdir -p "$BUILDDIR" && cp "$NCCL_HOME/lib/libnccl.so.2" "$BUILDDIR/all_reduce_perf" ;;
*" DESTDIR="*)
  prefix=$(cat "$2/prefix")
  mkdir -p "$DESTDIR$prefix/lib" && echo plugin >"$DESTDIR$prefix/lib/libnccl-net.so"
  ;;
esac
echo "make did ${!#}"
"""
CONFIGURE = """\
#!/bin/sh
for word in "$@"; do case $word in --prefix=*) echo "${word#--prefix=}" >prefix ;; esac; done
"""


def source(name: str, **files: str) -> bytes:
    """Return a source archive, with all its files in one folder."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for file, text in {"README.md": "x", **files}.items():
            member = tarfile.TarInfo(f"{name}/{file}")
            member.size, member.mode = len(text), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


class NcclNode(FakeNode):
    """A node of a GPU queue, with the shared file system."""

    def __init__(self, place: Path) -> None:
        """Make it, with the plugin that the EFA installer brings."""
        super().__init__(place, shared="/fsx", nccl_version=VERSION)
        self.shared = self.root / "fsx/nccl"
        self.manifests = self.root / "opt/slurm/etc/trainyard/nccl"
        for folder in (
            "fsx/nccl",
            "opt/slurm/etc",
            "opt/amazon/openmpi/lib",
            "opt/amazon/efa/lib",
            "opt/amazon/ofi-nccl",
        ):
            (self.root / folder).mkdir(parents=True)
        self.write("usr/local/cuda/bin/nvcc", f"#!/bin/bash\n{NVCC}", mode=0o755)
        answers(self, "nvidia-smi", "printf '9.0\\n%.0s' {1..8}")
        answers(self, "hostname", "echo train-st-gpu-1")
        answers(self, "sudo", '[[ $1 == --non-interactive ]] && exec "${@:2}"')
        answers(self, "g++", "echo 'g++ (Ubuntu 11.4.0) 11.4.0'")
        self.program("make", MAKE)
        self.asset("nccl", "nccl-2.28.7-1.tar.gz", source("nccl-2.28.7-1"))
        self.asset("nccl-tests", "nccl-tests-2.17.6.tar.gz", source("nccl-tests-2.17.6"))
        self.lock({"nccl": VERSION, "nccl-tests": "2.17.6"})

    def lock(self, versions: dict[str, str]) -> None:
        assets = [{"name": name, "version": version} for name, version in versions.items()]
        (self.release / "assets.lock.json").write_text(json.dumps({"schema": 1, "assets": assets}))

    def lock_plugin(self) -> None:
        self.asset("aws-ofi-nccl", "aws-ofi-nccl-1.17.2.tar.gz", source("aws-ofi-nccl-1.17.2", configure=CONFIGURE))
        self.lock({"nccl": VERSION, "nccl-tests": "2.17.6", "aws-ofi-nccl": "1.17.2"})

    def build(self, *arguments: str, version: str = VERSION, **variables: str) -> subprocess.CompletedProcess[str]:
        self.settings["nccl_version"] = version
        return run_script(self, "nccl/build-nccl.sh", *arguments, **variables)

    def built(self, *arguments: str, version: str = VERSION) -> str:
        """Build a version, which has to end well, and return what was said."""
        ran = self.build(*arguments, version=version)
        assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
        return ran.stdout

    def take(self, built: NcclNode) -> None:
        """Mount the shared file system and the folder of Slurm of a node that has built."""
        for folder in (self.shared, self.manifests):
            shutil.copytree(built.root / folder.relative_to(self.root), folder, symlinks=True, dirs_exist_ok=True)

    def manifest(self, version: str = VERSION) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.shared / version / "manifest.json").read_text())
        return found

    def seen(self) -> list[str]:
        """Return what users see in the folder: all but hidden names."""
        return sorted(file.name for file in self.shared.iterdir() if not file.name.startswith("."))

    def leftovers(self) -> list[str]:
        """Return the folders in which something was gathered."""
        return sorted(file.name for file in self.shared.glob(".*.new.*"))

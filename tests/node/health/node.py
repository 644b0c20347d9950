"""A node for checks to look at: a folder that is its root, what it should have, and programs that answer as told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.errors import NodeError
from trainyard_node.health.machine import ExpectedHardware, Machine
from trainyard_node.health.nvml import Gpus
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.processes import Ran

SETTINGS = {
    "CLUSTER": "llm", "INSTANCE_TYPE": "p5.48xlarge", "SETUP": "gpu",
    "GPUS": "8", "EFA_INTERFACES": "32", "FABRIC": "fabric-manager", "SHARED": "/fsx",
}  # fmt: skip


class Node:
    """A node. It has nothing until a test gives it something."""

    def __init__(self, root: Path) -> None:
        """Lie in a folder."""
        self.root = root
        self.places = Places(str(root))
        self.processes = FakeProcesses(FakeClock())
        self.world = World(self.places, FakeClock(), self.processes)

    def machine(self, **expected: Any) -> Machine:
        return Machine(self.world, ExpectedHardware(**expected), _no_gpus)

    def write(self, path: str, text: str) -> Path:
        file = self.places.at(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def settings(self, **settings: str) -> None:
        """Write node.env."""
        lines = [f"TRAINYARD_{name}='{value}'\n" for name, value in {**SETTINGS, **settings}.items()]
        self.write("/etc/trainyard/node.env", "".join(lines))

    def says(self, program: str, output: str, status: int = 0) -> None:
        """Let a program answer: its name, or the path of one that is not on the PATH."""
        key = str(self.places.at(program)) if program.startswith("/") else program
        self.processes.answers[key] = Ran(status, output)

    def link(self, path: str, target: str) -> None:
        link = self.places.at(path)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def infiniband(self, *names: str, driver: str = "efa") -> None:
        """Add devices, as below /sys/class/infiniband."""
        for name in names:
            self.link(f"/sys/class/infiniband/{name}/device/driver", f"../../../../bus/pci/drivers/{driver}")

    def pci(self, address: str, vendor: str, device: str, driver: str = "") -> None:
        folder = f"/sys/bus/pci/devices/{address}"
        self.write(f"{folder}/vendor", f"{vendor}\n")
        self.write(f"{folder}/device", f"{device}\n")
        if driver:
            self.link(f"{folder}/driver", f"../../../bus/pci/drivers/{driver}")

    def mounts(self, *lines: str) -> None:
        """Mount what lines of /etc/mtab say, as /proc/self/mountinfo says it."""
        self.write("/proc/self/mountinfo", "".join(map(_mountinfo, ("/dev/root / ext4 rw 0 0", *lines))))

    def drives(self, *names: str, model: str = "Amazon EC2 NVMe Instance Storage") -> None:
        for name in names:
            self.write(f"/sys/block/{name}/device/model", f"{model:40}\n")


def _mountinfo(line: str) -> str:
    source, place, kind, options, _, _ = line.split(" ")
    return f"36 35 98:0 / {place} rw,noatime shared:1 - {kind} {source} {options}\n"


def _no_gpus() -> Gpus:
    raise NodeError("there is no libnvidia-ml.so.1 here")

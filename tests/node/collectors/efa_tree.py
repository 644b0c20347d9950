"""/sys of instances with EFA, as the kernel lays it out: links of a class to devices, and from those to their drivers.

Which counters there are: EFA_DEFINE_DEVICE_STATS and EFA_DEFINE_PORT_STATS in
https://github.com/amzn/amzn-drivers/blob/master/kernel/linux/efa/src/efa_verbs.c
and lifespan, which the kernel adds to each folder:
https://github.com/torvalds/linux/blob/master/drivers/infiniband/core/sysfs.c
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path

OF_PORT = (
    "tx_bytes", "tx_pkts", "rx_bytes", "rx_pkts", "rx_drops", "send_bytes", "send_wrs", "recv_bytes", "recv_wrs",
    "rdma_read_wrs", "rdma_read_bytes", "rdma_read_wr_err", "rdma_read_resp_bytes", "rdma_write_wrs",
    "rdma_write_bytes", "rdma_write_wr_err", "rdma_write_recv_bytes", "retrans_bytes", "retrans_pkts",
    "retrans_timeout_events", "unresponsive_remote_events", "impaired_remote_conn_events", "lifespan",
)  # fmt: skip
OF_DEVICE = (
    "submitted_cmds", "completed_cmds", "cmds_err", "no_completion_cmds", "keep_alive_rcvd", "alloc_pd_err",
    "create_qp_err", "create_cq_err", "reg_mr_err", "alloc_ucontext_err", "create_ah_err", "mmap_err", "lifespan",
)  # fmt: skip
# One list for both, as a driver of 2020 had it: https://github.com/linux-rdma/perftest/issues/113
FORMERLY = (
    "alloc_pd_err", "alloc_ucontext_err", "cmds_err", "completed_cmds", "create_ah_err", "create_cq_err",
    "create_qp_err", "keep_alive_rcvd", "lifespan", "mmap_err", "no_completion_cmds", "rdma_read_bytes",
    "rdma_read_resp_bytes", "rdma_read_wr_err", "rdma_read_wrs", "recv_bytes", "recv_wrs", "reg_mr_err", "rx_bytes",
    "rx_drops", "rx_pkts", "send_bytes", "send_wrs", "submitted_cmds", "tx_bytes", "tx_pkts",
)  # fmt: skip
# Some of those of mlx5, which AWS's exporter would export too.
OF_MLX5 = ("lifespan", "out_of_buffer", "rx_read_requests", "rx_write_requests")
# EFA interfaces and other devices. src/trainyard/catalog/instances/ has the sources of the first number,
# https://github.com/aws/sagemaker-hyperpod-cli/pull/282 that of the second.
INSTANCES = {"p4d": (4, 0), "p5": (32, 0), "p5en": (16, 0), "p6-b200": (8, 2), "p6-b300": (16, 0)}


class EfaTree:
    """A machine's /sys below a folder."""

    def __init__(self, root: Path) -> None:
        """Begin with no device at all."""
        self.root = root
        self._numbers = itertools.count(1)

    def instance(self, name: str) -> EfaTree:
        """Add the devices of an instance type, and what node.env says about it."""
        interfaces, others = INSTANCES[name]
        for number in range(interfaces):
            self.interface(interface_name(number))
        for number in range(others):
            self.add(f"ibp{115 + number}s0f0", "mlx5_core", {"ports/1/hw_counters": OF_MLX5})
        self.expect(interfaces)
        return self

    def interface(self, name: str) -> Path:
        """Add an EFA interface."""
        return self.add(name, "efa", {"ports/1/hw_counters": OF_PORT, "hw_counters": OF_DEVICE})

    def add(self, name: str, driver: str, counters: Mapping[str, Iterable[str]]) -> Path:
        """Add a device, with a number of its own in each counter. Returns its folder."""
        pci = self.root / f"sys/devices/pci0000:00/{len(list(self._class().iterdir())):04x}:00:00.0"
        folder = pci / "infiniband" / name
        for path, names in counters.items():
            (folder / path).mkdir(parents=True, exist_ok=True)
            for counter in names:
                text = "12" if counter == "lifespan" else str(next(self._numbers))
                (folder / path / counter).write_text(f"{text}\n")
        (folder / "device").symlink_to("../..")
        (self.root / "sys/bus/pci/drivers" / driver).mkdir(parents=True, exist_ok=True)
        (pci / "driver").symlink_to(f"../../../bus/pci/drivers/{driver}")
        (self._class() / name).symlink_to(f"../../devices/pci0000:00/{pci.name}/infiniband/{name}")
        return folder

    def expect(self, interfaces: int | str) -> None:
        """Say in node.env how many interfaces there should be."""
        file = self.root / "etc/trainyard/node.env"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"TRAINYARD_ROLE='compute-gpu'\nTRAINYARD_EFA_INTERFACES='{interfaces}'\n")

    def files(self) -> list[Path]:
        """Return every counter of every EFA interface."""
        return sorted(self.root.glob("sys/devices/*/*/infiniband/rdmap*/**/hw_counters/*"))

    def _class(self) -> Path:
        folder = self.root / "sys/class/infiniband"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def interface_name(number: int) -> str:
    """Return a name as on p5, which has four interfaces on each bus: https://github.com/aws/eks-charts/pull/1144."""
    return f"rdmap{79 + 17 * (number // 4) + number % 4}s0"

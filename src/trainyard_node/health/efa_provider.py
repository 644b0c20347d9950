"""Whether libfabric offers the EFA interfaces: without it, jobs go on silently over TCP, many times slower."""

from __future__ import annotations

import re

from trainyard_node.health.efa_devices import efa_devices
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome
from trainyard_node.processes import NOT_FOUND, TIMED_OUT, Ran

NAME = "efa-provider"
PROGRAM = "/opt/amazon/efa/bin/fi_info"
TIMEOUT_S = 6.0
# An interface takes some 300 letters.
_MOST_LETTERS = 1_000_000
# That jobs fall back to sockets: https://github.com/awslabs/awsome-distributed-ai/issues/386
_SOURCE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html"
# libfabric locks memory, for which the limit of ordinary users is too small.
_LIMIT_SOURCE = "https://github.com/awslabs/awsome-distributed-ai/issues/647"
# Without rights, fi_info says nothing about the interfaces. What libibverbs writes of that limit, and names of errors:
# https://github.com/linux-rdma/rdma-core/blob/master/libibverbs/init.c
_NO_RIGHTS = ("RLIMIT_MEMLOCK", "Permission denied", "Operation not permitted", "Cannot allocate memory")
_AS_ROOT = f"run it as root: '{PROGRAM} -p efa' needs the devices below /dev/infiniband and 'ulimit -l unlimited'"
_REMEDY = f"see '{PROGRAM} -p efa' and the versions of 'trainyard-node versions'; ask for another efa_version or image"


def check(machine: Machine) -> list[Outcome]:
    """Ask libfabric for its provider efa, and compare what it lists with the devices."""
    places, _, processes = machine.world
    devices = efa_devices(places)
    if not devices:
        return [Outcome(NAME, "absent", "no EFA interface is here")]
    ran = processes.run([str(places.at(PROGRAM)), "-p", "efa"], TIMEOUT_S)
    if ran.status == TIMED_OUT:
        return [Outcome(NAME, "unknown", f"fi_info took longer than {TIMEOUT_S:g} s", remedy=_REMEDY)]
    if ran.status == NOT_FOUND:
        return [_failed(f"{PROGRAM} is missing, so libfabric for EFA is not installed")]
    if ran.status != 0 or "provider: efa" not in ran.output:
        return [_nothing_offered(ran, len(devices))]
    lost = sorted(set(devices) - _listed(ran.output))
    if lost:
        return [
            _failed(f"libfabric offers all but {len(lost)} of {len(devices)} EFA interfaces", device) for device in lost
        ]
    return [Outcome(NAME, "ok", f"libfabric offers all {len(devices)} EFA interfaces")]


def _nothing_offered(ran: Ran, devices: int) -> Outcome:
    (said,) = ran.output.strip().splitlines()[-1:] or [f"status {ran.status}"]
    if any(words in ran.output[:_MOST_LETTERS] for words in _NO_RIGHTS):
        message = f"fi_info lacks rights, or memory that it may lock, and ended with '{said}'"
        return Outcome(NAME, "unknown", message, "", _AS_ROOT, _LIMIT_SOURCE)
    return _failed(f"libfabric does not offer the {devices} EFA interfaces: fi_info ended with '{said}'")


def _failed(message: str, device: str = "") -> Outcome:
    return Outcome(NAME, "failed", message, device, _REMEDY, _SOURCE)


def _listed(output: str) -> set[str]:
    """Return the devices in lines such as 'domain: rdmap0s6-rdm', one for each kind of endpoint of each device."""
    return set(re.findall(r"^ *domain: (\S+?)(?:-[a-z]+)?$", output[:_MOST_LETTERS], re.MULTILINE))

"""Whether ranks of different nodes reached each other, and variables that hurt: expectations/environment.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import yaml

from trainyard.bench.case import Case
from trainyard.bench.machine import FOLDER
from trainyard.catalog.instances import find
from trainyard.finding import Finding

_SLOW_PROVIDERS = {"tcp", "sockets", "udp", "tcp;ofi_rxm", "udp;ofi_rxd"}


def harmful_settings(case: Case) -> Iterator[Finding]:
    """Yield each that the log says was set."""
    for variable in _variables():
        value = case.run.environment.get(variable["name"])
        if value is not None and re.fullmatch(variable.get("when", ".*"), value, re.DOTALL):
            yield case.finding(
                "bench-setting-hurts", f"{variable['name']} is set to {value[:80]!r}, which {variable['why']}"
            )


@cache
def _variables() -> list[dict[str, str]]:
    names: list[dict[str, str]] = yaml.load((FOLDER / "environment.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return names


def network_findings(case: Case) -> Iterator[Finding]:
    """Yield sockets in place of EFA, network cards that are missing, and a network without GPUDirect."""
    transport = case.run.transport
    first = transport.evidence[0].line if transport.evidence else None
    if transport.network == "Socket" or transport.provider in _SLOW_PROVIDERS:
        used = transport.network or transport.provider
        yield case.finding("bench-over-sockets", f"NCCL uses network {used}", first)
        return
    nics = case.machine.nics if case.machine is not None else None
    if nics is not None and transport.nics is not None and transport.nics < nics:
        message = (
            f"{transport.nics} network cards were found, and {case.machine.name if case.machine else ''} has {nics}"
        )
        yield case.finding("bench-fewer-nics", message, first)
    if transport.connections and not transport.gdr_connections and _has_gpudirect(case):
        message = f"none of {transport.connections:,} connections over the network uses GPUDirect"
        yield case.finding("bench-no-gpudirect", message)


def _has_gpudirect(case: Case) -> bool:
    instance_type = find(case.machine.name) if case.machine is not None else None
    return instance_type is not None and bool(instance_type.gpudirect_rdma)

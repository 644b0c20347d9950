"""What single lines of a log say about the libraries, the network and the end of a test.

NCCL writes them with NCCL_DEBUG=INFO, the plugin aws-ofi-nccl as NET/OFI, and launchers on their own:
https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug
https://github.com/aws/aws-ofi-nccl/blob/master/src/nccl_ofi_net.cpp
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trainyard.bench.result import Evidence, Run

_PROVIDER = re.compile(r"[Ss]elected [Pp]rovider is ([\w;-]+)(?:, fabric is [\w-]+)?(?:.*?\(found (\d+) nics?\))?")
_NETWORK = re.compile(r"Using network (.+?)\s*$")
_ENVIRONMENT = re.compile(r"\b((?:NCCL|FI|OFI_NCCL)_\w+) set by environment to (.*?)\.?\s*$")
_RANKS = re.compile(r"\bnranks (\d+)\b.*Init COMPLETE")
_ALGORITHM = re.compile(r"Algo (\w+) proto (\w+)")
_FAILURE = re.compile(
    r"NCCL WARN|Test (?:[A-Z]+ )?failure|: error:|not enough slots|optimal provider|No data available|CANCELLED"
    r"|Segmentation fault|Bus error|\bKilled\b|MPI_ABORT|mpirun noticed|exited on signal|TIME LIMIT|[Oo]ut Of Memory"
    r"|No such file|command not found|Failure running neuron-bench|errors found - test failed|Neuron DKMS Driver is not"
)
_VERSIONS = (
    ("nccl-tests", re.compile(r"nccl-tests version (\S+)")),
    ("nccl", re.compile(r"nccl-library=(\d+)")),
    ("nccl", re.compile(r"NCCL version (\d+\.\d+\.\d+)")),
    ("cuda", re.compile(r"NCCL version \S*\+cuda(\d+\.\d+)")),
    ("plugin", re.compile(r"aws-ofi-nccl (?:v)?(\d+\.\d+[\w.-]*)")),
    ("libfabric", re.compile(r"[Ll]ibfabric version (\d+\.\d+[\w.]*)")),
    ("cuda-driver", re.compile(r"cudaDriverVersion (\d+)")),
)
# ncclFunc… of src/include/nccl_common.h: https://github.com/NVIDIA/nccl/blob/master/src/include/nccl_common.h
_ALGORITHMS = ("TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT")
_PROTOCOLS = ("LL", "LL128", "SIMPLE")
_MOST_FAILURES = 50
# What jobs of `trainyard bench plan` say before the test: src/trainyard/render/bench/assets/describe-node.sh
_INSTANCE_TYPE = re.compile(r"trainyard: instance-type ([a-z0-9-]+\.[a-z0-9-]+)")
_BEGAN = re.compile(r"trainyard: job \S+ .*\bbegan (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_NODE_VERSION = re.compile(r"trainyard: node \S+ version ([a-z-]+) (\S+)$")


def note(run: Run, line: int, text: str) -> None:
    """Add to a run what a line says; nothing where it says nothing."""
    for reader in _READERS:
        reader(run, line, text)


def versions_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and versions of the libraries that a line names."""
    for name, pattern in _VERSIONS:
        if match := pattern.search(text):
            yield name, dotted_version(match[1]) if name in {"nccl", "cuda-driver"} else match[1]


def _versions(run: Run, _line: int, text: str) -> None:
    for name, version in versions_in(text):
        run.versions.setdefault(name, version)


def dotted_version(version: str) -> str:
    """Return 22602 as 2.26.2, and CUDA's 12040 as 12.4: what NCCL_VERSION and CUDA_VERSION make of the parts."""
    if not version.isdecimal():
        return version
    number = int(version)
    if number >= 10000 and number % 10 == 0 and number < 20000:
        return f"{number // 1000}.{number % 1000 // 10}"
    return f"{number // 10000}.{number % 10000 // 100}.{number % 100}"


def begins_job(text: str) -> bool:
    """Return whether a line is the first that a job of `trainyard bench plan` writes."""
    return _BEGAN.search(text) is not None


def _inventory(run: Run, _line: int, text: str) -> None:
    if match := _BEGAN.search(text):
        run.began = match[1]
    elif match := _INSTANCE_TYPE.search(text):
        run.instance_type = match[1]
    elif match := _NODE_VERSION.search(text.rstrip()):
        run.versions.setdefault(match[1], match[2])


def _provider(run: Run, line: int, text: str) -> None:
    if match := _PROVIDER.search(text):
        run.transport.provider = match[1]
        run.transport.evidence.append(Evidence(line, text.strip()))
        if match[2] is not None:
            run.transport.nics = int(match[2])


def _network(run: Run, line: int, text: str) -> None:
    if (match := _NETWORK.search(text)) and run.transport.network is None:
        run.transport.network = match[1]
        run.transport.evidence.append(Evidence(line, text.strip()))


def _environment(run: Run, _line: int, text: str) -> None:
    if match := _ENVIRONMENT.search(text):
        run.environment[match[1]] = match[2]


def _ranks(run: Run, _line: int, text: str) -> None:
    if match := _RANKS.search(text):
        run.ranks = max(run.ranks or 0, int(match[1]))


def _algorithm(run: Run, _line: int, text: str) -> None:
    if match := _ALGORITHM.search(text):
        name = f"{_named(match[1], _ALGORITHMS)}/{_named(match[2], _PROTOCOLS)}"
        run.algorithms[name] = run.algorithms.get(name, 0) + 1


def _named(word: str, names: tuple[str, ...]) -> str:
    return names[int(word)] if word.isdecimal() and int(word) < len(names) else word.upper()


def _failure(run: Run, line: int, text: str) -> None:
    if _FAILURE.search(text) and len(run.failures) < _MOST_FAILURES:
        run.failures.append(Evidence(line, text.strip()))


_READERS: tuple[Callable[[Run, int, str], None], ...] = (
    _versions, _inventory, _provider, _network, _environment, _ranks, _algorithm, _failure,
)  # fmt: skip

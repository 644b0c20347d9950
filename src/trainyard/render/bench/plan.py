"""The jobs of a spec: the tests of phases.yaml, on its nodes, and the files of a bundle's folder bench/."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trainyard.platform_table import platform_of
from trainyard.render.bench.gpu_nodes import GpuNodes, gpu_nodes
from trainyard.render.bench.job import BenchJob
from trainyard.render.data_files import data
from trainyard.spec.cluster import Spec

_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_WARMUP = 5
_CONTROL = "{what} are left to NCCL: what the runs after it, on as many nodes, are compared with."


class _Sizes(NamedTuple):
    begin_bytes: int
    end_bytes: int
    step_bytes: int | None


def bench_files(spec: Spec) -> dict[str, bytes]:
    """Return the files of the folder by their names in it: those of containers too where the spec has them."""
    in_containers = platform_of(spec).runs_tests_in_containers and spec.software.containers
    return files_of(spec, (*jobs_for(spec), *(jobs_for(spec, container=True) if in_containers else ())))


def files_of(spec: Spec, jobs: Iterable[BenchJob]) -> dict[str, bytes]:
    """Return the files of jobs by their names: one for each, and what they need beside them."""
    listed = tuple(jobs)
    return platform_of(spec).rendering().bench_files(spec, listed) if listed else {}


def jobs_for(spec: Spec, *, container: bool = False) -> tuple[BenchJob, ...]:
    """Return the jobs of all four phases, phase by phase in the order in which they are to run.

    ``container`` makes them those of a container instead of the programs on the nodes.
    """
    image = container_image(spec) if container else None
    jobs = [job for nodes in gpu_nodes(spec) for job in _of_nodes(nodes, image)]
    return tuple(sorted(jobs, key=lambda job: job.phase))


def container_image(spec: Spec) -> str:
    """Return the image with nccl-tests: the spec's own, or AWS's."""
    image: str = _phases()["image"]
    return next((image for image in spec.software.container_images if "nccl-tests" in image), image)


def _of_nodes(nodes: GpuNodes, image: str | None) -> Iterator[BenchJob]:
    for test in _phases()["tests"]:
        for count in _node_counts(nodes, test["nodes"]):
            if count * nodes.gpus > 1:
                yield _job(nodes, test, count, image)
    yield from _optimisation(nodes, image)


def _node_counts(nodes: GpuNodes, kind: str) -> tuple[int, ...]:
    most = nodes.most
    if kind == "one":
        return (1,)
    if kind == "most":
        return (most,)
    if kind == "several":
        return (most,) if most > 1 else ()
    counts = [2**power for power in range(1, most.bit_length()) if 2**power < most]
    return (*counts, most) if most > 1 else ()


def _job(nodes: GpuNodes, test: dict[str, Any], count: int, image: str | None) -> BenchJob:
    over = f"-{count}n" if test["nodes"] == "each" else ""
    program, *then = test["programs"]
    words = {"nodes": count, "queue": nodes.group.queue.name, "type": nodes.group.instance_type, "gpus": nodes.gpus}
    sizes = _sizes(nodes, test)
    iterations = test.get("iterations", nodes.iterations(count))
    warmup = test.get("warmup", _WARMUP)
    return BenchJob(
        id=_id(nodes, test["phase"], f"{test['name']}{over}", image),
        phase=test["phase"],
        title=test["title"].format(**words),
        queue=nodes.group.queue.name,
        feature=nodes.feature,
        instance_type=nodes.group.instance_type,
        collective=program.removesuffix("_perf"),
        binary=program,
        begin_bytes=sizes.begin_bytes,
        end_bytes=sizes.end_bytes,
        factor=2,
        iterations=iterations,
        warmup=warmup,
        nodes=count,
        tasks_per_node=nodes.gpus,
        gpus_per_task=1,
        container=image,
        time_limit_min=nodes.time_limit_min(count, sizes.end_bytes, iterations + warmup, len(test["programs"])),
        why=test["why"].format(**words),
        control_of=test.get("control_of"),
        environment={**_phases()["environment"], **test.get("environment", {})},
        step_bytes=sizes.step_bytes,
        then=tuple(then),
    )


def _id(nodes: GpuNodes, phase: int, name: str, image: str | None) -> str:
    return f"{nodes.prefix}-p{phase}-{name}{'' if image is None else '-container'}"


def _sizes(nodes: GpuNodes, test: dict[str, Any]) -> _Sizes:
    largest = nodes.largest_bytes
    end = largest if test["end"] == "largest" else min(_bytes(test["end"]), largest)
    return _Sizes(min(_bytes(test["begin"]), end), end, _bytes(test["step"]) if "step" in test else None)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+) (B|KiB|MiB|GiB)", text)
    assert match is not None, text  # noqa: S101  our own file, which a test reads
    return int(match[1]) * _UNITS[match[2]]


def _optimisation(nodes: GpuNodes, image: str | None) -> Iterator[BenchJob]:
    """Yield the runs of phase 4: for each group of variables one without them, and then one for each value."""
    count = nodes.most
    for group in _phases()["variables"]:
        control = _variant(group, f"{group['name']}-control", {})
        yield _job(nodes, control, count, image)
        control_id = _id(nodes, 4, control["name"], image)
        for value in group["values"]:
            if _applies(nodes, value, count):
                name = f"{value['variable'].removeprefix('NCCL_')}-{value['value']}".lower()
                variant = _variant(group, name, {value["variable"]: value["value"]})
                yield _job(nodes, {**variant, "control_of": control_id}, count, image)


def _applies(nodes: GpuNodes, entry: dict[str, Any], count: int) -> bool:
    wanted_nodes = entry.get("nodes")
    return (nodes.nvls or not entry.get("nvls")) and (wanted_nodes is None or (wanted_nodes == "one") == (count == 1))


def _variant(group: dict[str, Any], name: str, environment: dict[str, str]) -> dict[str, Any]:
    program = _phases()["optimisation"]["program"]
    settings = " and ".join(f"{variable}={value}" for variable, value in environment.items())
    collective = program.removesuffix("_perf")
    return {
        **_phases()["optimisation"],
        "phase": 4,
        "name": f"{collective}-{name}",
        "programs": [program],
        "nodes": "most",
        "title": f"{group['title']}: {settings or 'control run'}",
        "why": f"{settings} alone differs from the control run." if settings else _CONTROL.format(what=group["title"]),
        "environment": environment,
    }


def _phases() -> dict[str, Any]:
    content: dict[str, Any] = data("bench/phases.yaml")
    return content

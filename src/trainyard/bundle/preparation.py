"""The first part of a bundle's README: what is made or looked up before the cluster, and how its ids are written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic_core import to_json

from trainyard.bundle.by_hand.assets import bucket
from trainyard.bundle.by_hand.aws_command import shell_name
from trainyard.bundle.by_hand.mount_names import mount_names
from trainyard.bundle.by_hand.prerequisites import what_has_to_exist
from trainyard.bundle.by_hand.reservations import reservation_group
from trainyard.bundle.by_hand.stacks import (
    create_commands,
    create_from_s3_commands,
    monitoring_commands,
    read_outputs,
    written_in,
)
from trainyard.bundle.markdown import Pieces
from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.stack import Stack, fits_inline
from trainyard.render.rendering import Rendering
from trainyard.render.stand_ins import StandIn, stack_of
from trainyard.spec.cluster import Spec

_PAGE = Pieces(Path(__file__).with_suffix(".md"))


class FilesWithIds(NamedTuple):
    """What ids are written into."""

    rendering: Rendering
    texts: tuple[tuple[str, bytes], ...]
    """Each file in which stand-ins may stand, with a text that holds its values."""


def preparation(
    spec: Spec, rendering: Rendering, outputs: Mapping[str, str], others: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield the lines of step 1.

    ``known`` are the stack outputs that need no stand-in, ``others`` are files in which ids stand too.
    """
    waits = FilesWithIds(rendering, tuple(_texts(rendering, others)))
    blocks = list(_blocks(spec, waits, outputs))
    yield from _PAGE.lines("title")
    if rendering.stand_ins:
        yield from _PAGE.lines("stand-ins")
    elif not blocks:
        yield from _PAGE.lines("nothing-left")
    yield from blocks
    if rendering.stand_ins:
        output_options = [
            f'--stack-output {stand_in.output}="${shell_name(stand_in.output)}"' for stand_in in rendering.stand_ins
        ]
        yield from _PAGE.lines(
            "rendered-again", command=" \\\n  ".join(["trainyard render SPEC --force", *output_options])
        )


def _texts(rendering: Rendering, others: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    yield from ((name, to_json(document)) for name, document in rendering.documents.items())
    yield from ((stack.parameters_file, to_json(stack.parameters)) for stack in rendering.stacks)
    yield from ((name, content) for name, content in others.items() if name not in rendering.documents)


def _blocks(spec: Spec, waits: FilesWithIds, known: Mapping[str, str]) -> Iterator[str]:
    rendering = waits.rendering
    waiting = {stand_in.output: stand_in for stand_in in rendering.stand_ins}
    if "AssetsBucket" in waiting:
        commands = [*bucket(spec), *_written_in(waits, [waiting["AssetsBucket"]])]
        yield from _PAGE.lines("bucket", commands=commands)
    elif "AssetsBucket" in known and spec.assets.bucket is None and spec.installs_anything:
        yield from _PAGE.lines("known-bucket", command=f"ASSETS_BUCKET={known['AssetsBucket']}")
    for stand_in in (stand_in for stand_in in rendering.stand_ins if stand_in.stack == "capacity"):
        commands = [*reservation_group(spec, stand_in), *_written_in(waits, [stand_in])]
        yield from _PAGE.lines("reservation-group", name=stand_in.output, commands=commands)
    if spec.environment is not None:
        yield from _of_environment(spec, spec.environment, waits)
    for file_system, stand_in, query in mount_names(spec, rendering.stand_ins):
        commands = [query, *_written_in(waits, [stand_in])]
        yield from _PAGE.lines("mount-name", file_system=file_system, commands=commands)
    for stack in rendering.stacks:
        if stack.texts.making is None:
            continue  # the cluster itself
        own_stand_ins = [
            stand_in
            for stand_in in rendering.stand_ins
            if stand_in.stack == stack.kind and stand_in.output != "AssetsBucket"
        ]
        if own_stand_ins or not _is_made(stack, rendering):
            outputs = read_outputs(spec, stack.name, [stand_in.output for stand_in in own_stand_ins])
            more = monitoring_commands(spec, stack) if stack.kind == "monitoring" else ()
            commands = [*_creation(spec, stack), *outputs, *_written_in(waits, own_stand_ins), *more]
            yield from _PAGE.lines("stack", text=_making(spec, stack, stack.texts.making), commands=commands)
    yield from what_has_to_exist(spec)


def _creation(spec: Spec, stack: Stack) -> Iterator[str]:
    """Yield how to make a stack, from S3 where a request cannot carry its template."""
    if fits_inline(stack.template):
        yield from create_commands(spec, stack)
    else:
        yield from bucket(spec)
        yield from create_from_s3_commands(spec, stack)


def _of_environment(spec: Spec, environment: str, waits: FilesWithIds) -> Iterator[str]:
    """Yield how to read what the stacks of the environment have made, which have to be there before."""
    waiting = [
        stand_in for stand_in in waits.rendering.stand_ins if stand_in.stack in ("network", "storage", "monitoring")
    ]
    if waiting:
        commands = [
            command
            for stand_in in waiting
            for command in read_outputs(spec, f"{environment}-{stand_in.stack}", [stand_in.output])
        ]
        commands += _written_in(waits, waiting)
        yield from _PAGE.lines("environment", environment=environment, commands=commands)


def _making(spec: Spec, stack: Stack, text: str) -> str:
    existing = spec.network.existing
    if stack.kind == "network" and existing is not None:
        ssh = ", and who may use SSH" if platform_of(spec).opens_ssh else ""
        return f"Security groups in {existing.vpc}{ssh}:"
    return text


def _is_made(stack: Stack, rendering: Rendering) -> bool:
    """Return whether the bundle uses outputs of a stack, which all are known where none of them waits."""
    return any(stack_of(output) == stack.kind for output in rendering.outputs - {"AssetsBucket"})


def _written_in(waits: FilesWithIds, stand_ins: Sequence[StandIn]) -> Iterator[str]:
    if stand_ins:
        values = [stand_in.value.encode() for stand_in in stand_ins]
        holding = [name for name, text in waits.texts if any(value in text for value in values)]
        yield written_in(stand_ins, holding)

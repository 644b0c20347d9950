"""Reads the file of a run, and the spec of the cluster that it names."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from trainyard.checking.spec_file import check_file
from trainyard.document.node import Document
from trainyard.document.read import read_yaml
from trainyard.edge.text_file import read_text
from trainyard.errors import InputError, SpecError
from trainyard.finding import Finding
from trainyard.record import validator_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.parsing import validated
from trainyard.training.run import Run

COMPILED = Path(__file__).with_name("compiled.json")


class RunFile(NamedTuple):
    """A run, the document it was read from, and the cluster that it names."""

    run: Run
    document: Document
    spec: Spec

    @property
    def group(self) -> NodeGroup | None:
        """Return the nodes it runs on: the first kind of its queue; None where there is no such queue."""
        return group_of(self.run, self.spec)


def group_of(run: Run, spec: Spec) -> NodeGroup | None:
    """Return the nodes a run is for: of the queue that it names, otherwise of the first with GPUs, or the first."""
    from trainyard.catalog.instances import find  # noqa: PLC0415  the catalog is read only where it is asked

    groups = list(spec.node_groups())
    if run.queue is not None:
        return next((group for group in groups if group.queue.name == run.queue), None)
    facts = [find(group.instance_type) for group in groups]
    with_gpus = (group for group, of_type in zip(groups, facts, strict=True) if of_type and of_type.accelerators)
    return next(with_gpus, groups[0] if groups else None)


def read_run(file: str) -> RunFile:
    """Return the run of a file.

    Raises SpecError with all findings where it is none, or the spec it names has errors.
    """
    run, document = parse_run(read_text(file), file)
    place = Path(file).parent / run.cluster
    checked = check_file(str(place))
    if checked.parsed is None or checked.has_errors:
        raise SpecError(checked.findings)
    if checked.parsed.spec.is_environment:
        hint = "name the spec of a cluster"
        raise InputError("an environment has no nodes to train on", where=f"{file}: cluster", hint=hint)
    return RunFile(run, document, checked.parsed.spec)


def parse_run(text: str, file: str) -> tuple[Run, Document]:
    """Return the run that a text holds. Raises DocumentError or SpecError with all findings where it holds none."""
    document = read_yaml(text, file)
    if not isinstance(document.value, dict):
        place = document.place(())
        message = "the file is empty" if document.value is None else "a run is a mapping of keys to values"
        remedy = "start from `trainyard run new`"
        finding = Finding("spec-not-a-mapping", "error", message, remedy, file=file, line=place.line)
        raise SpecError((finding,))
    try:
        run: Run = validated(document, Run, validator_of(Run, COMPILED))
    except SpecError as error:
        raise SpecError(tuple(map(_of_run, error.findings))) from None
    return run, document


def _of_run(finding: Finding) -> Finding:
    """Return a finding with a remedy that leads to the page about runs."""
    if finding.remedy is None or "docs/spec.md" not in finding.remedy:
        return finding
    return finding._replace(remedy="`trainyard run schema` and docs/runs.md say what each key takes")

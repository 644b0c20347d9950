"""An id that stands for one that has yet to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.record import Record
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# Ids of nothing but zeros and a short number are what templates write where an id belongs; AWS draws ids at random.
_STAND_IN = re.compile(r"(?:^|[/:])[a-z-]+-0{6,}\d{0,3}/?$|PLACEHOLDER|REPLACE[-_]ME|x{8,}", re.IGNORECASE)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield every text in the spec that is a stand-in."""
    for path, text in _texts(spec, ()):
        if _STAND_IN.search(text):
            yield Problem(path, f"{text} is a stand-in, not the real value")


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
    elif isinstance(value, Record | dict):
        members = value if isinstance(value, dict) else vars(value)
        for name, member in members.items():
            yield from _texts(member, (*path, name))


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="Stand-in left in the spec",
    rationale=(
        "A reference architecture holds stand-ins for what only you know. The bundle renders with them, but "
        "nothing can be deployed."
    ),
    remedy="write the real value, or set it with `trainyard new … --set path=value`",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {reservation: cr-00000000000000000}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {reservation: cr-0a1b2c3d4e5f60718}
""",
    check=check,
)

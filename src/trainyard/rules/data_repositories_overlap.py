"""Links of one file system to S3 that FSx does not make beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_MOST = 8


def check(spec: Spec) -> Iterator[Problem]:
    """Yield links whose directory or prefix lies in that of an earlier one, or the other way round, and too many."""
    for path, mount, lustre in spec.new_lustre():
        if len(lustre.links) > _MOST:
            problem = f"{mount} has {len(lustre.links)} data repositories, and FSx links {_MOST} at most"
            yield Problem((*path, "data_repository"), problem, "link a prefix that several of them lie below")
        for former, link in combinations(lustre.links, 2):
            if _overlap(former.directory, link.directory):
                yield Problem(
                    (*path, *link.keys_path, "path"),
                    f"{mount} is linked at {link.directory} and at {former.directory}, one of which holds the other",
                )
            if _overlap(former.uri, link.uri):
                yield Problem(
                    (*path, *link.uri_path), f"{mount} is linked to {link.uri} and to {former.uri}, which overlap"
                )


def _overlap(one: str, other: str) -> bool:
    first, second = (f"{place.rstrip('/')}/" for place in (one, other))
    return first.startswith(second) or second.startswith(first)


RULE = Rule(
    severity="error",
    title="Data repositories that overlap",
    rationale=(
        "FSx makes a file of an object in one place only: each link needs a directory and a prefix of its own, none of "
        "which holds another, and a file system has eight links at most. Otherwise the stack of the file systems fails."
    ),
    remedy="give each data repository a directory and a prefix beside those of the others",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    bad="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository:
        - {uri: s3://my-bucket/datasets, path: /data}
        - {uri: s3://my-models, path: /data/models}
""",
    good="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository:
        - {uri: s3://my-bucket/datasets, path: /data}
        - {uri: s3://my-models, path: /models}
""",
    check=check,
)

"""What kind of log a name stands for, and whether a signature means something there. The names are log_kinds.yaml's."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

_DATA = Path(__file__).with_name("log_kinds.yaml")
# `<host>.<instance>.<log>`, as ParallelCluster names its streams, and as files when it exports them.
STREAM = re.compile(r"(?P<host>[A-Za-z0-9-]{1,63})\.(?P<instance>i-[0-9a-f]{8,17})\.(?P<log>.+)")
_ROTATED = re.compile(r"(\.(gz|xz|bz2|zip|old|\d{1,3})|[-.]\d{8}(-\d{6})?)$")
_ENDING = re.compile(r"\.(log|txt|json|jsonl|out)$")


class _Names(NamedTuple):
    words: dict[str, str]
    """Whole names to kinds."""
    globs: tuple[tuple[str, str], ...]
    """Patterns with kinds, in the order of the file."""
    where: dict[str, frozenset[str]]
    """Every word of a signature, and the kinds of logs where its lines may stand."""


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str | None:
    """Return the kind of the log of this name, path or stream; None where nothing is known of it."""
    names = _names()
    path = f"/{name.strip('/')}"
    base = _without_rotation(path.rpartition("/")[2])
    stream = STREAM.fullmatch(base)
    word = _word(stream["log"] if stream else base)
    if log_kind := names.words.get(word) or names.words.get(_ENDING.sub("", word)):
        return log_kind
    # A path of a stream tells nothing: whoever exported it chose the folder.
    candidates = (word, _ENDING.sub("", word)) if stream else (word, _ENDING.sub("", word), path.casefold())
    return next((kind for glob, kind in names.globs for candidate in candidates if _fits(candidate, glob)), None)


def kinds() -> tuple[str, ...]:
    """Return every word that may stand in the `logs` of a signature."""
    return tuple(_names().where)


def applies(logs: tuple[str, ...], kind: str | None) -> bool:
    """Return whether a signature of these logs means something in a log of this kind. Of unknown kind, it does."""
    return not logs or kind is None or any(kind in _names().where[word.replace("_", "-")] for word in logs)


def _fits(name: str, glob: str) -> bool:
    return ("/" in glob) == name.startswith("/") and fnmatchcase(name, glob.casefold())


def _word(name: str) -> str:
    """Return a name as it is looked up. `clustermgtd.events` is the file of the stream `clustermgtd_events`."""
    plain = name.removesuffix(".log")
    return re.sub(r"\.events$", "-events", plain).replace("_", "-").casefold()


def _without_rotation(name: str) -> str:
    shorter = _ROTATED.sub("", name)
    return _without_rotation(shorter) if shorter and shorter != name else name


@cache
def _names() -> _Names:
    content = yaml.load(_DATA.read_bytes(), Loader=yaml.CSafeLoader)
    kinds_of: dict[str, list[str]] = content["kinds"]
    pairs = [(name, kind) for kind, names in kinds_of.items() for name in names]
    groups: dict[str, list[str]] = {kind: [kind] for kind in kinds_of} | content["groups"]
    return _Names(
        {name: kind for name, kind in pairs if "*" not in name},
        tuple((name, kind) for name, kind in pairs if "*" in name),
        {word: frozenset(_with_holders(members, content["holds"])) for word, members in groups.items()},
    )


def _with_holders(kinds_asked: list[str], holds: dict[str, list[str]]) -> set[str]:
    """Return kinds of logs, and those that hold what such logs say."""
    return {*kinds_asked, *(holder for holder, held in holds.items() if not set(held).isdisjoint(kinds_asked))}

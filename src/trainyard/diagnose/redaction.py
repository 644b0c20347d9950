"""Identifiers replaced by names that say what they are: the same identifier has the same name all over a report.

What identifies an account, a machine, a person or a secret goes; what a program says of it stays.
What such things look like stands in redaction.yaml, and what secrets do in the room redaction.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.redaction.secrets import without_secrets

_FILE = Path(__file__).with_name("redaction.yaml")
_ARN_PART = re.compile(r"[^/:]+")
_EC2_HOST = re.compile(r"(?:ip|ec2)-(\d+)-(\d+)-(\d+)-(\d+)")
_MINUTE = re.compile(r"20[2-9]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d")
# Shorter ones are words, and parts of others.
_SHORTEST_NAME = 3
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_OWN_NAME = re.compile(r"(?<![A-Za-z0-9-])[a-z][a-z0-9-]{0,20}-[0-9]{1,6}(?![A-Za-z0-9])")
_KEPT_USERS = frozenset({"ubuntu", "ec2-user", "rocky", "centos", "root", "slurm", "pcluster-admin"})


class Redaction:
    """The names given so far, each to one identifier."""

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers: dict[str, dict[str, int]] = {}
        self._buckets: dict[str, str] = {}
        self._names: dict[str, str] = {}
        """What was recognised somewhere, and may stand elsewhere where nothing says what it is."""
        self._anywhere: re.Pattern[str] | None = None
        self._given: set[str] = set()

    def values(self, value: Any, kept_keys: Collection[str] = ()) -> Any:
        """Return the same value, whatever it is made of, with other names in all its text, keys included.

        What stands below one of the keys ``kept`` stays as it is.
        """
        for text in _texts(value, kept_keys):
            self._learn_buckets(text)
        for text in _texts(value, kept_keys):
            self._learn_names(text)
        if self._names:
            longest_first = sorted(self._names, key=len, reverse=True)
            words = "|".join(map(re.escape, longest_first))
            self._anywhere = re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])")
        return self._values(value, kept_keys)

    def _values(self, value: Any, kept_keys: Collection[str]) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {
                self._text(key): member if key in kept_keys else self._values(member, kept_keys)
                for key, member in value.items()
            }
        return [self._values(member, kept_keys) for member in value] if isinstance(value, list | tuple) else value

    def _learn_buckets(self, text: str) -> None:
        """Remember the names of buckets: they also stand where nothing says that they are buckets."""
        for match in _redaction_rules().patterns["bucket"].finditer(text):
            bucket = match["bucket"] or match["bucket_host"]
            self._buckets.setdefault(bucket, self._name("bucket", bucket))

    def _learn_names(self, text: str) -> None:
        for kind, patterns in _redaction_rules().learned.items():
            for name in (match["name"] for pattern in patterns for match in pattern.finditer(text)):
                if _names_somebody(kind, name) and name not in self._buckets:
                    self._names.setdefault(name, self._name(kind, name))

    def _text(self, text: str) -> str:
        text = without_secrets(text, self._name_of_secret)
        for kind, pattern in _redaction_rules().patterns.items():
            if matches := list(pattern.finditer(text)):
                text = self._replaced(kind, matches, text)
        for bucket in sorted(self._buckets, key=len, reverse=True):
            if bucket in text:
                text = re.sub(rf"(?<![\w.-]){re.escape(bucket)}(?![\w-])", self._buckets[bucket], text)
        return self._without_names(text)

    def _without_names(self, text: str) -> str:
        """Replace names that were recognised elsewhere. What stands for one is left, whatever somebody is called."""
        if self._anywhere is None or not self._anywhere.search(text):
            return text
        pieces, end = [], 0
        for own in _OWN_NAME.finditer(text):
            if own[0] in self._given:
                between = self._anywhere.sub(lambda match: self._names[match[0]], text[end : own.start()])
                pieces += [between, own[0]]
                end = own.end()
        return "".join([*pieces, self._anywhere.sub(lambda match: self._names[match[0]], text[end:])])

    def _replaced(self, kind: str, all_found: list[re.Match[str]], text: str) -> str:
        pieces, end = [], 0
        for match in all_found:
            group = next(name for name in (kind.replace("-", "_"), f"{kind}_host") if match.groupdict().get(name))
            pieces += [text[end : match.start(group)], self._name_of(kind, match[group], match)]
            end = match.end(group)
        return "".join([*pieces, text[end:]])

    def _name_of_secret(self, kind: str, secret: str) -> str:
        return secret if secret in self._given else self._name(kind, secret)

    def _name_of(self, kind: str, value: str, match: re.Match[str]) -> str:
        if value in self._given or (kind == "site" and not _names_somebody(kind, value)):
            return value
        if kind == "resource":
            return _ARN_PART.sub(lambda part: self._part_of_arn(part[0]), value)
        if kind in ("address", "address6"):
            return self._address(value)
        if kind == "host":
            return self._host(value)
        if kind == "id":
            return self._name("instance" if match["prefix"] == "i" else match["prefix"], value)
        is_time = kind == "account" and _MINUTE.fullmatch(value) and match.string[match.end() : match.end() + 1] != ":"
        return value if is_time or value in _KEPT_USERS else self._name(kind, value)

    def _part_of_arn(self, part: str) -> str:
        """Return what stands for a part of an ARN's resource: the words of AWS's own kinds of things stay."""
        if part in _redaction_rules().arn_words or part in self._given or part == "*":
            return part
        if part in self._buckets:
            return self._buckets[part]
        redacted = self._text(part)
        return redacted if redacted != part else self._name("name", part)

    def _address(self, value: str) -> str:
        try:
            address = ipaddress.ip_address(value)
        except ValueError:
            return value
        tells_nothing = address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast
        return value if tells_nothing else self._name("address", str(address))

    def _host(self, value: str) -> str:
        """Return the name of a host, which has the number of its address where it is called after that."""
        if (match := _EC2_HOST.match(value)) is None:
            return self._name("host", value)  # an endpoint of AWS's
        name = self._name("address", ".".join(match.groups())).replace("address", "host")
        self._given.add(name)
        return name

    def _name(self, kind: str, value: str) -> str:
        kind = _redaction_rules().pools.get(kind, kind)
        numbers = self._numbers.setdefault(kind, {})
        name = f"{kind}-{numbers.setdefault(value, len(numbers) + 1)}"
        self._given.add(name)
        return name


class _RedactionRules(NamedTuple):
    patterns: dict[str, re.Pattern[str]]
    pools: dict[str, str]
    arn_words: frozenset[str]
    learned: dict[str, tuple[re.Pattern[str], ...]]
    no_names: frozenset[str]
    public_hosts: tuple[str, ...]


@cache
def _redaction_rules() -> _RedactionRules:
    """Return what redaction.yaml says, the patterns in their order."""
    content: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    patterns = {kind: re.compile(pattern, re.VERBOSE) for kind, pattern in content["patterns"].items()}
    learned = {kind: tuple(map(re.compile, some)) for kind, some in content["learned"].items()}
    public = tuple(f".{host}" for host in content["public_hosts"])
    return _RedactionRules(
        patterns, content["pools"], frozenset(content["arn_words"]), learned, frozenset(content["no_names"]), public
    )


def _names_somebody(kind: str, name: str) -> bool:
    """Return whether what stands where a name does is one, and not for what AWS or everybody calls so."""
    if kind == "site":
        return not f".{name.casefold()}".endswith(_redaction_rules().public_hosts) and _EC2_HOST.match(name) is None
    enough = len(name) >= _SHORTEST_NAME and name.casefold() not in _redaction_rules().no_names
    return enough and name not in _KEPT_USERS and _PLAIN_NAME.fullmatch(name) is not None


def _texts(value: Any, kept_keys: Collection[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from (text for key, member in value.items() if key not in kept_keys for text in _texts(member, kept_keys))
    elif isinstance(value, list | tuple):
        yield from (text for member in value for text in _texts(member, kept_keys))

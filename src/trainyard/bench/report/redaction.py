"""A report without secrets and names of hosts, people and addresses, so that it can be sent to somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from trainyard.redaction.secrets import without_secrets

_WORD = re.compile(r"[A-Za-z0-9][\w.-]*")
# NCCL begins its lines with host, process and thread, and nccl-tests what failed with the host.
_LINE_OF = re.compile(r"([\w.-]+)(?::\d+:\d+ \[\d+\] NCCL|: Test [A-Z]+ failure)")
_ADDRESS = re.compile(r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}")
_EC2_NAME = re.compile(r"ip(?:-\d{1,3}){4}(?:\..*)?")
_HOME = re.compile(r"/(home|Users)/[^/\s:]+")


def hosts_in(lines: Iterable[str]) -> list[str]:
    """Return the hosts that lines of NCCL and of nccl-tests begin with, each once."""
    return list(dict.fromkeys(host for line in lines for host in _LINE_OF.findall(line)))


class HiddenNames:
    """Names of hosts, and what stands in their place: node-1 and so on, in the order that they are given in."""

    def __init__(self, hosts: Iterable[str]) -> None:
        """Take the hosts."""
        self._names = {host: f"node-{at}" for at, host in enumerate(dict.fromkeys(hosts), 1)}
        # The rest of a long name is often left out in a log.
        self._short = {host.partition(".")[0]: name for host, name in self._names.items()}
        self._odd = [host for host in self._names if not _WORD.fullmatch(host)]

    def hide(self, value: Any) -> Any:
        """Return the same value, whatever it is made of, with other names in all its text, keys included."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self.hide(key): self.hide(member) for key, member in value.items()}
        return [self.hide(member) for member in value] if isinstance(value, list | tuple) else value

    def _text(self, text: str) -> str:
        if text in self._names:
            return self._names[text]
        text = without_secrets(text)
        for host in self._odd:
            text = text.replace(host, self._names[host])
        return _HOME.sub(r"/\1/user", _WORD.sub(lambda match: self._word(match[0]), text))

    def _word(self, word: str) -> str:
        core = word.rstrip(".-")
        replacement = self._names.get(core) or self._short.get(core) or self._short.get(core.partition(".")[0])
        if replacement is None and _ADDRESS.fullmatch(core):
            replacement = "an-address"
        if replacement is None and _EC2_NAME.fullmatch(core):
            replacement = "a-host"
        return word if replacement is None else replacement + word[len(core) :]

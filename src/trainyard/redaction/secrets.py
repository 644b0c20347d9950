"""Secrets in text, by the forms they have: secret_forms.yaml. Who and where somebody is, is not for here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.redaction.key_lines import headless_keys

REPLACEMENT = "[secret]"
_FILE = Path(__file__).with_name("secret_forms.yaml")
_KEPT_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?[a-z]{0,2}")
_PASSWORD = re.compile(r"(?i)passw|passphrase|passcode|[_.-]pass|pwd")


class SecretForm(NamedTuple):
    """A form in which secrets stand."""

    name: str
    kind: str
    """What stands for such a secret, beside its number."""
    words: tuple[str, ...]
    """A text without any of them, in small letters, has no such secret; none where every text may have one."""
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    """Lines, with the secret in {{ }}."""
    kept: tuple[str, ...]
    """Lines that have none."""


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


def without_secrets(text: str, name: Callable[[str, str], str] = lambda _kind, _secret: REPLACEMENT) -> str:
    """Return a text with something else in place of each secret: what ``name`` returns for its kind and itself."""
    pieces, end = [], 0
    for span in _spans(text):
        pieces += [text[end : span.start], name(span.kind, text[span.start : span.end])]
        end = span.end
    return "".join([*pieces, text[end:]])


def values_without_secrets(value: Any) -> Any:
    """Return the same value, whatever it is made of, with something else in place of each secret in its text."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {name: values_without_secrets(member) for name, member in value.items()}
    return [values_without_secrets(member) for member in value] if isinstance(value, list | tuple) else value


def member_without_secrets(name: str, value: Any) -> Any:
    """Return a value without what is a secret by itself or beside its name, such as that of a password."""
    if isinstance(value, Mapping):
        return {key: member_without_secrets(str(key), member) for key, member in value.items()}
    if isinstance(value, str):
        return without_secrets(f"{name}: {value}").removeprefix(f"{name}: ")
    return [member_without_secrets(name, member) for member in value] if isinstance(value, list | tuple) else value


@cache
def secret_forms() -> tuple[SecretForm, ...]:
    """Return all forms."""
    content = _content()
    return tuple(
        SecretForm(
            name,
            form.get("kind", "secret"),
            tuple(form.get("words", ())),
            re.compile(_with_parts(form["pattern"], content["parts"]), re.VERBOSE),
            tuple(form["examples"]),
            tuple(form.get("kept", ())),
        )
        for name, form in content["forms"].items()
    )


def _spans(text: str) -> Iterator[_Span]:
    """Yield where secrets stand, in their order; those that overlap as one."""
    spans = sorted(_form_spans(text))
    at = 0
    while at < len(spans):
        start, end, kind = spans[at]
        while (at := at + 1) < len(spans) and spans[at].start <= end:
            end = max(end, spans[at].end)
        yield _Span(start, end, kind)


def _form_spans(text: str) -> Iterator[_Span]:
    small = text.lower()
    for form in secret_forms():
        if form.words and not any(word in small for word in form.words):
            continue
        for match in form.pattern.finditer(text):
            for group, value in match.groupdict().items():
                if value and group.startswith("value") and _is_secret(match, group):
                    yield _Span(match.start(group), match.end(group), form.kind)
    if "-----end " in small:
        yield from (_Span(start, end, "secret") for start, end in headless_keys(text))


def _is_secret(match: re.Match[str], group: str) -> bool:
    """Return whether what stands where a secret does is one. A number is one only as a password."""
    value = match[group]
    if value == REPLACEMENT or _no_secrets().fullmatch(value):
        return False
    return _KEPT_NUMBER.fullmatch(value) is None or _PASSWORD.search(match[0], 0) is not None


@cache
def _no_secrets() -> re.Pattern[str]:
    return re.compile(_content()["no_secrets"], re.VERBOSE)


def _with_parts(pattern: str, parts: Mapping[str, str]) -> str:
    """Return a pattern with its parts in place. A part that stands there again, as <PLAIN2>, has groups of its own."""

    def part(match: re.Match[str]) -> str:
        return re.sub(r"\(\?P[<=]\w+", rf"\g<0>{match[2] and '_' + match[2]}", parts[match[1]])

    return re.sub(r"<([A-Z]+)(\d*)>", part, pattern)


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return content

"""Logs of any length are copied without their secrets."""

from __future__ import annotations

import io
import re

import pytest

from tests.each_case import each_case
from trainyard.redaction.secret_filter import copy_without_secrets
from trainyard.redaction.secrets import REPLACEMENT, secret_forms

ONLY_BY_ITSELF = "secret-access-key"
PLAIN = "2026-05-06T13:25:00Z slurmctld: debug: sched: Running job scheduler for default depth.\n"
# Of different kinds, as in the logs of nodes: with a time before each line, and without.
KEY_WITH_TIMES = [
    "2026-05-06T13:25:00Z -----BEGIN RSA PRIVATE KEY-----\n",
    *[f"2026-05-06T13:25:00Z {'MIIEpAIB' * 8}\n"] * 30,
    "2026-05-06T13:25:00Z -----END RSA PRIVATE KEY-----\n",
]


def copied(content: bytes) -> bytes:
    target = io.BytesIO()
    copy_without_secrets(io.BytesIO(content), target)
    return target.getvalue()


EXAMPLES = [
    pytest.param(line, id=f"{form.name}-{at}")
    for form in secret_forms()
    for at, line in enumerate(form.examples)
    if not line.endswith("cut}}")  # in a file, a key that was cut goes as far as its lines are those of one
]


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_form_is_found_between_other_lines(line: str):
    around = PLAIN + "%s\n" + PLAIN
    plain = re.sub(r"\{\{(.*?)\}\}", r"\1", line, flags=re.DOTALL)
    expected = around % re.sub(r"\{\{.*?\}\}", REPLACEMENT, line, flags=re.DOTALL)
    assert copied((around % plain).encode()) == expected.encode()


def test_only_one_form_has_no_words_to_look_for():
    assert [form.name for form in secret_forms() if not form.words] == [ONLY_BY_ITSELF]


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe token \x00\n", PLAIN.encode() * 3, b"no end of line"])
def test_what_has_no_secret_stays_byte_by_byte(content: bytes):
    assert copied(content) == content


def test_a_secret_is_found_where_blocks_meet():
    lines = b"x" * ((1 << 20) - 5) + b" password=hunter next\n" + b"y" * 100
    assert copied(lines) == lines.replace(b"hunter", REPLACEMENT.encode())


@pytest.mark.parametrize("before", [0, (1 << 20) // len(PLAIN)])
def test_a_private_key_goes_with_all_its_lines(before: int):
    content = (PLAIN * before + "".join(KEY_WITH_TIMES) + PLAIN).encode()
    left = copied(content)
    assert b"MIIE" not in left
    assert left.endswith(b"-----END RSA PRIVATE KEY-----\n" + PLAIN.encode())


def test_of_a_key_that_was_cut_only_its_own_lines_go():
    content = ("".join(KEY_WITH_TIMES[:-1]) + PLAIN).encode()
    left = copied(content)
    assert b"MIIE" not in left
    assert left.endswith(PLAIN.encode())


@each_case("before", ["", "2026-05-06T13:25:00Z ", "2026-05-06 ip-10-0-0-1 job[71]: ", "[  12.345] a b ", "\t"])
def test_no_letter_of_a_key_stays_wherever_it_was_cut(before: str):
    body = "MIIEpAIB/+" * 20
    key = f"-----BEGIN PRIVATE KEY-----\n{body[:64]}\n{body[64:128]}\n{body[128:]}\n"
    for letters in [*range(28, 28 + 45), 92, 93, 94, 100, 130, 131, 140, len(key)]:
        lines = key[:letters].split("\n")
        at = [before.replace("12.345", f"1{number}.5") for number in range(len(lines))]
        cut = "".join(f"{time}{line}\n" for time, line in zip(at, lines, strict=True) if line)
        for end in ("", PLAIN, "\n" + PLAIN, "2026-05-06 13:25:00 done\n", "done: 3 of 4\n"):
            left = copied((PLAIN + cut + end).encode()).decode()
            assert not set(re.findall("MI+|[A-Z]AIB|/[+]", left)), (letters, end, left)
            assert left.endswith(end)


@each_case("before", ["", "2026-05-06T13:25:00Z ", "[  12.345] a b ", "\t"])
def test_of_a_key_without_its_first_line_no_letter_stays_and_all_else_does(before: str):
    body = "MIIEpAIB/+" * 20
    key = f"{body[:64]}\n{body[64:128]}\n{body[128:192]}\n{body[192:]}\n-----END RSA PRIVATE KEY-----"
    for letters in [0, 1, 30, 63, 64, 65, 100, 130, 194, 196]:
        cut = "\n".join(f"{before}{line}" for line in key[letters:].split("\n"))
        for first in ("", PLAIN, "done: 3 of 4\n") if letters in (0, 65) else ("",):
            left = copied((first + cut + "\n" + PLAIN).encode()).decode()
            assert not set(re.findall("MI+|[A-Z]AIB|/[+]", left)), (letters, first, left)
            assert left.startswith(first)
            assert left.endswith(f"-----END RSA PRIVATE KEY-----\n{PLAIN}")


def test_a_key_without_its_first_line_is_found_where_blocks_meet():
    key = f"{'MIIEpAIB' * 8}\n" * 25 + "-----END PRIVATE KEY-----\n"
    for before in range(0, 25 * 65, 37):
        lines = b"x" * ((1 << 20) - before - 1) + b"\n" + key.encode()
        assert b"MIIE" not in copied(lines), before


def test_what_stands_before_the_end_of_a_certificate_stays():
    certificate = f"{'MIIEpAIB' * 8}\nMIIE\n-----END CERTIFICATE-----\n"
    assert copied(certificate.encode()).decode() == certificate


@each_case("line", ["Exit status 0", "2026-05-06T13:25:00Z slurmd: done", "bye!", "", "x y", "{}"])
def test_what_follows_a_key_that_was_cut_behind_its_first_line_stays(line: str):
    text = f"-----BEGIN PRIVATE KEY-----\n{line}\nMIIE\n"
    assert copied(text.encode()).decode().endswith(f"-----\n{line}\nMIIE\n")

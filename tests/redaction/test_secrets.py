"""Every form of a secret is found, and what only looks like one stays."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from trainyard.redaction.secrets import REPLACEMENT, secret_forms, without_secrets

EXAMPLES = [
    pytest.param(line, id=f"{form.name}-{at}") for form in secret_forms() for at, line in enumerate(form.examples)
]
DOCUMENTED = yaml.safe_load(Path(__file__).with_name("documented_lines.yaml").read_text(encoding="utf-8"))
KEPT = [pytest.param(line, id=f"{form.name}-{at}") for form in secret_forms() for at, line in enumerate(form.kept)]


@pytest.mark.parametrize("line", EXAMPLES)
def test_a_secret_is_replaced_and_the_rest_of_its_line_stays(line: str):
    expected = re.sub(r"\{\{.*?\}\}", REPLACEMENT, line, flags=re.DOTALL)
    assert without_secrets(re.sub(r"\{\{(.*?)\}\}", r"\1", line, flags=re.DOTALL)) == expected


@each_case("line", [case["line"] for case in DOCUMENTED["secrets"]])
def test_a_secret_is_found_in_lines_of_other_programs_documents(line: str):
    expected = re.sub(r"\{\{.*?\}\}", REPLACEMENT, line, flags=re.DOTALL)
    assert without_secrets(re.sub(r"\{\{(.*?)\}\}", r"\1", line, flags=re.DOTALL)) == expected


@each_case("line", DOCUMENTED["kept"])
def test_what_only_looks_like_a_secret_stays(line: str):
    assert without_secrets(line) == line


@pytest.mark.parametrize("line", KEPT)
def test_what_is_no_secret_stays(line: str):
    assert without_secrets(line) == line


@pytest.mark.parametrize("line", EXAMPLES)
def test_what_stands_for_a_secret_stays(line: str):
    once = without_secrets(re.sub(r"\{\{(.*?)\}\}", r"\1", line, flags=re.DOTALL))
    assert without_secrets(once) == once


@given(st.text())
def test_any_text_can_be_searched(text: str):
    assert isinstance(without_secrets(text), str)


REPEATED = ("a", "password ", "token=", "--token ", "://", "eyJ.", "cookie: a", "auth: ", "A1b/", "curl -u ", "key:",
            '=\\"', "machine x ", "-----BEGIN PRIVATE KEY-----", "login -p", "secret: a", 'password"=>"',
            "a=a;", "wandb key ", "echo a | ", "db:5432:a:b:", "bindpw ", "snmpget -A ", "a:{SHA}", "AAAA\\n",
            "ipmitool -P", "SecureString --value ", "ipa-a ",
            "mongo ", "htpasswd -b a a ", "setuser a >", "jdbc:oracle:thin:", "x" * 64 + "\n",
            "-----END PRIVATE KEY-----\n", "A" * 64 + "\n-----END ", 'send "a1', 'assword\nsend "',
            "a * ", "# client server secret\n", "createUser a SHA ",
            "  password ", "token: aaaa.")  # fmt: skip


@pytest.mark.parametrize("repeated", REPEATED)
def test_no_line_makes_the_search_slow(repeated: str):
    begun = time.process_time()
    without_secrets("password=" + repeated * (100_000 // len(repeated)))
    without_secrets(repeated * (100_000 // len(repeated)))
    assert time.process_time() - begun < 5

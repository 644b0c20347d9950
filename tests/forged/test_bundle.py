"""A bundle's README and picture, of a spec that a stranger wrote: what it may say freely is shown nowhere as markup.

Names of jobs, pods and nodes, records and logs reach neither: both are made of the spec alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK, assert_same_elements
from trainyard.bundle.assemble import assemble
from trainyard.errors import FindingsError
from trainyard.spec.parsing import parse

VISIBLE = {name: text for name, text in FORGERIES.items() if text.isprintable()}
DIRECTORY = {
    "domain": "example.com",
    "addresses": ["ldaps://directory.example.com"],
    "read_only_user": "cn=ReadOnly,dc=example,dc=com",
    "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf",
}


def spec_text(text: str) -> str:
    """Return a spec with a text in every place that takes any."""
    script = {"script": "s3://mine/setup.sh", "args": [text]}
    slurm = {"settings": {"JobCompLoc": " ".join(text.replace("#", "").split(" "))}}
    return json.dumps(
        {
            "name": "llm",
            "region": "us-east-2",
            "platform": "parallelcluster",
            "network": {"availability_zone": "us-east-2a"},
            "access": {
                "directory_service": {**DIRECTORY, "ca_certificate": text, "access_filter": text, "sssd": {"a": text}}
            },
            "queues": [{"name": "cpu", "instance_type": "m5.xlarge", "custom_actions": {"after_setup": [script]}}],
            "file_systems": [{"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}}],
            "parallelcluster": {"slurm": slurm, "overlay": {"DevSettings": {text: text}}},
        },
        ensure_ascii=False,
    )


NETWORK = {"availability_zone": "us-east-2a", "secondary_availability_zone": "us-east-2b"}
OTHERS: dict[str, dict[str, Any]] = {
    "batch": {"platform": "batch", "batch": {"overlay": {"Description": "{0}"}}},
    "eks": {"platform": "eks", "network": NETWORK, "eks": {"overlay": {"metadata": {"annotations": {"{0}": "{0}"}}}}},
    "environment": {"kind": "environment"},
}


def other_spec(kind: str, text: str) -> str:
    """Return a spec of another platform, or of an environment, with a text in every place that takes any."""
    lustre = {"Properties": {"Tags": [{"Key": "a", "Value": "{0}"}]}}
    spec = {
        "name": "llm",
        "region": "us-east-2",
        "network": {"availability_zone": "us-east-2a"},
        "queues": [{"name": "cpu", "instance_type": "m5.xlarge"}],
        "file_systems": [{"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}}],
        "stack_overlays": {"storage": {"resources": {"Lustre": lustre}}},
        **OTHERS[kind],
    }
    if kind == "environment":
        del spec["queues"]
    return json.dumps(spec, ensure_ascii=False).replace("{0}", json.dumps(text, ensure_ascii=False)[1:-1])


@each_case("kind", OTHERS)
def test_so_has_none_of_any_other_platform_and_of_an_environment(kind: str):
    def files(text: str) -> dict[str, str]:
        bundle = assemble(parse(other_spec(kind, text), "cluster.yaml").spec)
        return {name: content.decode() for name, content in bundle.files.items()}

    forged, plain = files(" ".join(text[:400] for text in VISIBLE.values())), files("a word")
    assert any(MARK in content for content in forged.values())
    assert set(shapes(forged["README.md"])) <= set(shapes(plain["README.md"]))
    assert_same_elements(forged["architecture.svg"], [plain["architecture.svg"]])


def written(text: str) -> dict[str, str]:
    bundle = assemble(parse(spec_text(text), "cluster.yaml").spec)
    return {name: bundle.files[name].decode() for name in ("README.md", "architecture.svg", "cluster.yaml")}


def shapes(page: str) -> Iterator[tuple[str, str]]:
    """Yield what a page of Markdown is made of, and what it leads to."""
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        for part in (token, *(token.children or ())):
            yield part.type, str(part.attrs.get("href") or part.attrs.get("src") or "")


@pytest.fixture(scope="module")
def harmless() -> dict[str, str]:
    return written("a word")


@each_case("text", [" ".join(text[:400] for text in VISIBLE.values()), f"# {MARK} ``", f"|{MARK}|", f"<b>{MARK}"])
def test_a_spec_of_a_stranger_has_no_markup_in_its_readme_and_picture(text: str, harmless: dict[str, str]):
    forged = written(text)
    assert MARK in forged["cluster.yaml"]
    assert set(shapes(forged["README.md"])) <= set(shapes(harmless["README.md"]))
    assert_same_elements(forged["architecture.svg"], [harmless["architecture.svg"]])


@each_case("text", [text for text in FORGERIES.values() if not text.isprintable()])
def test_what_nobody_sees_stands_in_no_spec(text: str):
    with pytest.raises(FindingsError) as refused:
        parse(spec_text(text), "cluster.yaml")
    assert {finding.id for finding in refused.value.findings} <= {"spec-bad-value", "yaml-unprintable", "yaml-syntax"}
    assert all(finding.message.isprintable() for finding in refused.value.findings)


def test_text_of_an_overlay_has_lines():
    text = json.dumps({**json.loads(spec_text("a")), "parallelcluster": {"overlay": {"DevSettings": {"a": "b\n\tc"}}}})
    assert parse(text, "cluster.yaml").spec.parallelcluster.overlay["DevSettings"]["a"] == "b\n\tc"

"""docs/benchmarks.md names what the command line has, its figures are the model's, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from trainyard.bench.ceiling import ceiling
from trainyard.bench.machine import machine
from trainyard.cli.bench_submit import command

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
LINKS = sorted(set(re.findall(r"\]\(((?!https)[^)]+)\)", PAGE)))
(BACKENDS,) = (parameter.type.choices for parameter in command.params if isinstance(parameter.type, click.Choice))


@pytest.mark.parametrize("link", LINKS)
def test_a_link_within_the_docs_leads_somewhere(link: str):
    assert (DOCS / link).exists()


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_is_described(backend: str):
    assert f"| `{backend}` |" in PAGE


@pytest.mark.parametrize("option", ["--ssh", "--local", "--results", "--no-wait", "--timeout", "--cancel", "--python"])
def test_what_the_page_says_of_options_is_there(option: str):
    assert option in PAGE
    assert option in {name for parameter in command.params for name in parameter.opts}


def test_the_arithmetic_of_two_p5_is_that_of_the_model():
    p5 = machine("p5.48xlarge")
    assert p5 is not None
    found = ceiling(p5, 2, 8, "all_reduce")
    assert found is not None
    assert (p5.network_gb_s, found.busbw_gb_s, "750" in found.why) == (400, 490, True)
    assert "400 × 2 × 15 / 16 = 750 GB/s" in PAGE
    assert "about 490" in PAGE

"""The architecture of a type, from facts or from its name."""

from __future__ import annotations

import pytest

from trainyard.catalog import instances
from trainyard.catalog.architecture import architecture_in_name, architecture_of

ARM = (
    "a1.xlarge t4g.micro m6gd.large c7g.xlarge c7gn.16xlarge m8gd.metal-24xl g5g.xlarge i4g.large im4gn.large "
    "is4gen.large x2gd.medium r8gb.large i8ge.large hpc7g.16xlarge p6e-gb200.36xlarge p6e-gb300r.36xlarge"
)
X86 = (
    "c6i.large c7a.large g4ad.xlarge i4i.large x2iedn.large c7i-flex.large u7i-12tb.224xlarge hpc6id.32xlarge t3a.nano "
    "m5.xlarge c5.large t3.micro r5n.large g4dn.xlarge g6e.xlarge gr6.4xlarge g6f.large p5en.48xlarge p6-b200.48xlarge "
    "trn2.48xlarge trn2u.48xlarge i3en.large inf2.xlarge dl2q.24xlarge vt1.3xlarge z1d.large"
)
SILENT = "u-6tb1.metal mac1.metal mac2.metal mac2-m2.metal trn3.48xlarge nothing a.large"


@pytest.mark.parametrize(
    ("names", "architecture"), [(ARM, "arm64"), (X86, "x86_64"), (SILENT, None)], ids=["arm64", "x86_64", "silent"]
)
def test_the_letter_of_the_processor_tells_it_and_no_other_letter(names, architecture):
    assert {name: architecture_in_name(name) for name in names.split()} == dict.fromkeys(names.split(), architecture)


def test_no_name_contradicts_the_facts_of_the_catalog():
    for name in instances.names():
        facts = instances.find(name)
        assert facts is not None
        assert architecture_in_name(name) in (facts.architecture, None), name


def test_a_name_tells_it_where_there_are_no_facts():
    assert architecture_of("p5.48xlarge") == "x86_64"
    assert architecture_of("c8gn.48xlarge") == "arm64"
    assert architecture_of("p99.48xlarge") == "x86_64"
    assert architecture_of("u-6tb1.metal") is None

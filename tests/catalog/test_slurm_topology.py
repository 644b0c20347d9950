"""Sockets, cores and threads that Slurm has to be told."""

from __future__ import annotations

import pytest

from trainyard.catalog.instances import find, researched_names, slurm_topology, sources_of


@pytest.mark.parametrize(
    ("name", "topology"),
    [
        ("p5.48xlarge", (2, 48, 2)),
        ("p4d.24xlarge", (2, 24, 2)),
        ("p4de.24xlarge", (2, 24, 2)),
        ("c5.9xlarge", (1, 18, 2)),
    ],
)
def test_a_measured_type_has_its_topology_and_a_source(name, topology):
    assert slurm_topology(name) == topology
    assert sources_of(name)["sockets"].url.startswith("https://github.com/")


@pytest.mark.parametrize("name", ["p5en.48xlarge", "p5.4xlarge", "hpc6a.48xlarge", "trn1.32xlarge", "p7.48xlarge", ""])
def test_a_type_that_nobody_measured_has_none(name):
    assert slurm_topology(name) is None


@pytest.mark.parametrize("name", [name for name in researched_names() if slurm_topology(name)])
def test_sockets_cores_and_threads_make_up_the_vcpus(name):
    sockets, cores, threads = slurm_topology(name) or (0, 0, 0)
    facts = find(name)
    assert facts is not None
    assert sockets * cores * threads == facts.vcpus

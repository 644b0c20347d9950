"""The keys of ParallelCluster, against themselves and against what rules about versions say."""

from __future__ import annotations

import json

from trainyard.catalog import catalog_file
from trainyard.catalog.parallelcluster import supported_oses
from trainyard.catalog.parallelcluster_keys import TOP, parallelcluster_kinds
from trainyard.edge.pcluster import known_versions

PLAIN = {"string", "integer", "boolean", "number", "mapping", "any", "scripts"}


def test_every_locked_version_is_among_the_sources():
    data = json.loads((catalog_file.FOLDER / "parallelcluster_keys.json").read_bytes())
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    assert set(sources) == {f"aws-parallelcluster-{version}" for version in known_versions()}


def test_every_kind_that_a_key_leads_to_is_there():
    kinds = parallelcluster_kinds()
    named = {shape["type"] for keys in kinds.values() for shape in keys.values()} - PLAIN
    assert named | {TOP, "Script"} == set(kinds)


def test_the_operating_systems_are_those_of_the_newest_version():
    assert tuple(parallelcluster_kinds()["Image"]["Os"]["values"]) == supported_oses(known_versions()[-1])

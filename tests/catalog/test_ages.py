"""Every file of the catalog says when it was looked at, and for how long it may be believed."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from trainyard.catalog import catalog_file
from trainyard.catalog.ages import ages, ages_of_read_files, days_believed
from trainyard.catalog.parallelcluster import reserved_mounts
from trainyard.catalog.support_ends import support_ends
from trainyard.catalog.upstream_packages import upstream_packages


def test_every_file_with_facts_has_an_age():
    paths = [path for ending in ("yaml", "json") for path in catalog_file.FOLDER.rglob(f"*.{ending}")]
    files = {path.relative_to(catalog_file.FOLDER).as_posix() for path in paths}
    # How long the others are believed, and what `make generate` makes of them and of the records.
    generated = {"belief.json", "content.json", "compiled.json", "compiled_deployment.json"}
    assert {age.file for age in ages()} == files - generated
    assert all(age.until == age.looked + timedelta(days=days_believed(age.file)) for age in ages())


def test_the_file_that_is_believed_the_shortest_comes_first():
    days = [age.until for age in ages()]
    assert days == sorted(days)


def test_a_file_is_as_old_as_the_oldest_look_at_its_sources():
    path = catalog_file.FOLDER / "parallelcluster.yaml"
    looks = [source["read"] for source in catalog_file.content(path)["sources"].values()]
    assert len(set(looks)) > 1
    (age,) = (age for age in ages() if age.file == path.name)
    assert age.looked == date.fromisoformat(min(looks))


def test_a_file_that_nobody_has_thought_of_has_no_answer():
    assert days_believed("instances/p99.yaml") == days_believed("instances/p5.yaml")
    with pytest.raises(KeyError):
        days_believed("horoscopes.yaml")


def test_what_was_read_is_noted():
    reserved_mounts()
    assert "parallelcluster.yaml" in {age.file for age in ages_of_read_files()}


def test_ends_of_support_are_in_order_and_have_sources():
    ends = support_ends()
    assert [end.until for end in ends] == sorted(end.until for end in ends)
    assert all(end.source.startswith("https://") for end in ends)
    by_name = {end.of: end.until for end in ends}
    assert by_name["standard support of Kubernetes 1.34 on Amazon EKS"] == date(2026, 12, 2)
    assert by_name["extended support of Kubernetes 1.31 on Amazon EKS"] == date(2026, 11, 26)
    assert by_name["NVIDIA drivers of R595"] == date(2027, 3, 31)


def test_packages_say_which_facts_they_stand_for():
    assert {package.registry for package in upstream_packages()} == {"pypi"}
    assert all(package.about and package.seen for package in upstream_packages())

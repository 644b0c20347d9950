import pytest

from tests.rules.found import paths, problems

RULE = "data-repository-without-import"


def part(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"


def test_an_empty_list_is_found_with_the_bucket_that_it_concerns():
    (problem,) = problems(RULE, part("size_gib: 1200, data_repository: s3://bucket/data, auto_import: []"))
    assert problem.message == "objects that reach s3://bucket/data later never appear in /fsx"


@pytest.mark.parametrize("events", ["[NEW]", "[NEW, CHANGED]", "[NEW, CHANGED, DELETED]"])
def test_whoever_imports_some_changes_has_thought_about_it(events: str):
    assert paths(RULE, part(f"size_gib: 1200, data_repository: s3://bucket, auto_import: {events}")) == []


def test_import_is_on_by_default():
    assert paths(RULE, part("size_gib: 1200, data_repository: s3://bucket")) == []


@pytest.mark.parametrize("lustre", ["size_gib: 1200, auto_import: []", "id: fs-0123456789abcdef0, auto_import: []"])
def test_without_a_data_repository_there_is_nothing_to_import(lustre: str):
    assert paths(RULE, part(lustre)) == []


def test_of_several_each_is_looked_at():
    links = "[{uri: s3://bucket-a, path: /a}, {uri: s3://bucket-b, path: /b, auto_import: []}]"
    assert paths(RULE, part(f"size_gib: 1200, data_repository: {links}")) == [
        "file_systems[0].lustre.data_repository[1].auto_import"
    ]

import pytest

from tests.rules.found import paths, problems

RULE = "data-repository-deletes-objects"


def part(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, {lustre}}}}}]"


@pytest.mark.parametrize(
    ("path", "place"), [("", "/fsx/data"), (", data_path: /", "/fsx"), (", data_path: /a/b", "/fsx/a/b")]
)
def test_the_directory_and_the_bucket_are_named(path: str, place: str):
    (problem,) = problems(RULE, part(f"data_repository: s3://bucket/sets, auto_export: [DELETED]{path}"))
    assert problem.message == f"whoever deletes a file in {place} deletes its object in s3://bucket/sets"


@pytest.mark.parametrize("export", ["", ", auto_export: []", ", auto_export: [NEW, CHANGED]"])
def test_who_exports_no_deletions_is_told_nothing(export: str):
    assert paths(RULE, part(f"data_repository: s3://bucket{export}")) == []


def test_without_a_bucket_nothing_is_deleted():
    assert paths(RULE, part("auto_export: [DELETED]")) == []


def test_of_several_only_the_one_that_exports_deletions_is_named():
    links = "[{uri: s3://bucket-a, path: /a}, {uri: s3://bucket-b, path: /b, auto_export: [DELETED]}]"
    (problem,) = problems(RULE, part(f"data_repository: {links}"))
    assert problem.message == "whoever deletes a file in /fsx/b deletes its object in s3://bucket-b"
    assert problem.path == ("file_systems", 0, "lustre", "data_repository", 1, "auto_export")

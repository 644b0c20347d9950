import pytest

from tests.rules.found import paths, problems

RULE = "data-repositories-overlap"


def part(*links: str) -> str:
    written = ", ".join(f"{{uri: {link.split()[0]}, path: {link.split()[1]}}}" for link in links)
    return f"file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, data_repository: [{written}]}}}}]"


@pytest.mark.parametrize(
    ("links", "found"),
    [
        (("s3://bucket-a /a", "s3://bucket-b /b"), []),
        (("s3://bucket-a/x /a", "s3://bucket-a/xy /ab"), []),
        (("s3://bucket-a /a", "s3://bucket-b /a/b"), ["[1].path"]),
        (("s3://bucket-a /a/b", "s3://bucket-b /a"), ["[1].path"]),
        (("s3://bucket-a /", "s3://bucket-b /b"), ["[1].path"]),
        (("s3://bucket-a/ /a", "s3://bucket-a/b /b"), ["[1].uri"]),
        (("s3://bucket-a /a", "s3://bucket-a /a"), ["[1].path", "[1].uri"]),
        (("s3://bucket-a /a", "s3://bucket-b /b", "s3://bucket-b /c"), ["[2].uri"]),
    ],
)
def test_links_that_hold_each_other_are_found(links: tuple[str, ...], found: list[str]):
    assert paths(RULE, part(*links)) == [f"file_systems[0].lustre.data_repository{place}" for place in found]


@pytest.mark.parametrize(("count", "found"), [(8, 0), (9, 1)])
def test_more_than_eight_are_found(count: int, found: int):
    assert len(problems(RULE, part(*(f"s3://bucket-{number} /{number}" for number in range(count))))) == found


def test_one_link_and_a_file_system_that_exists_are_fine():
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, data_repository: s3://bucket-a}}]") == []
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]") == []

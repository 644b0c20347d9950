import pytest

from tests.rules.found import paths

RULE = "efs-needs-encryption-in-transit"
ACCESS_POINT = "id: fs-0123456789abcdef0, access_point: fsap-0123456789abcdef0"


def part(efs: str) -> str:
    return f"file_systems: [{{mount: /home, efs: {{{efs}}}}}]"


def test_access_point_and_iam_are_found_each():
    assert paths(RULE, part(f"{ACCESS_POINT}, iam_authorization: true, encryption_in_transit: false")) == [
        "file_systems[0].efs.access_point",
        "file_systems[0].efs.iam_authorization",
    ]


@pytest.mark.parametrize("efs", [ACCESS_POINT, "iam_authorization: true", f"{ACCESS_POINT}, iam_authorization: true"])
def test_encryption_is_on_by_default(efs: str):
    assert paths(RULE, part(efs)) == []


def test_plain_nfs_needs_no_encryption():
    assert paths(RULE, part("id: fs-0123456789abcdef0, encryption_in_transit: false")) == []

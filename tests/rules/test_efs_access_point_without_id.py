from tests.rules.found import paths

RULE = "efs-access-point-without-id"


def test_an_access_point_alone_is_found():
    part = "file_systems: [{mount: /home, efs: {access_point: fsap-0123456789abcdef0}}]"
    assert paths(RULE, part) == ["file_systems[0].efs.access_point"]


def test_with_its_file_system_it_is_fine():
    part = "file_systems: [{mount: /home, efs: {id: fs-0123456789abcdef0, access_point: fsap-0123456789abcdef0}}]"
    assert paths(RULE, part) == []


def test_a_file_system_to_be_made_needs_none():
    assert paths(RULE, "file_systems: [{mount: /home, efs: {}}]") == []

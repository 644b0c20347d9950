from tests.rules.found import paths, problems

RULE = "lustre-backup-not-possible"


def part(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"


def test_a_scratch_file_system_has_no_backups():
    (problem,) = problems(RULE, part("size_gib: 1200, deployment: SCRATCH_2, backup_days: 1"))
    assert problem.message == "/fsx can have no backups: it is SCRATCH_2"


def test_a_linked_file_system_has_no_backups():
    (problem,) = problems(RULE, part("size_gib: 1200, data_repository: s3://bucket/data, backup_days: 90"))
    assert problem.message == "/fsx can have no backups: it is linked to s3://bucket/data"


def test_zero_days_are_no_backups():
    assert paths(RULE, part("size_gib: 1200, data_repository: s3://bucket/data, backup_days: 0")) == []


def test_a_persistent_file_system_without_a_link_has_backups():
    assert paths(RULE, part("size_gib: 1200, deployment: PERSISTENT_1, backup_days: 7")) == []


def test_a_file_system_that_exists_is_left_to_key_without_effect():
    assert paths(RULE, part("id: fs-0123456789abcdef0, deployment: SCRATCH_2, backup_days: 7")) == []

from tests.rules.found import paths, problems

RULE = "data-repository-missing"


def part(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"


def test_import_and_export_are_found_each():
    assert paths(RULE, part("size_gib: 1200, auto_export: [NEW], auto_import: []")) == [
        "file_systems[0].lustre.auto_export",
        "file_systems[0].lustre.auto_import",
    ]


def test_defaults_that_nobody_wrote_are_not_found():
    assert paths(RULE, part("size_gib: 1200")) == []


def test_with_a_data_repository_they_are_fine():
    assert paths(RULE, part("size_gib: 1200, data_repository: s3://bucket, auto_export: [NEW]")) == []


def test_a_file_system_that_exists_is_left_to_key_without_effect():
    assert paths(RULE, part("id: fs-0123456789abcdef0, auto_import: [NEW]")) == []


def test_other_kinds_of_file_systems_have_none():
    assert paths(RULE, "file_systems: [{mount: /apps, ebs: {size_gib: 200}}]") == []


def test_beside_a_list_they_belong_into_its_entries():
    links = "data_repository: [{uri: s3://bucket, path: /a}], auto_import: [NEW], data_path: /b"
    found = problems(RULE, part(f"size_gib: 1200, {links}"))
    assert [(problem.path[-1], problem.remedy) for problem in found] == [
        ("auto_import", "write auto_import in each entry of data_repository"),
        ("data_path", "write path in each entry of data_repository"),
    ]

from tests.rules.found import paths, problems

RULE = "mounts-overlap"

TWO = "file_systems: [{{mount: {one}, ebs: {{size_gib: 9}}}}, {{mount: {other}, ebs: {{size_gib: 9}}}}]"


def test_one_directory_twice_is_found_at_the_second():
    assert paths(RULE, TWO.format(one="/data", other="/data")) == ["file_systems[1].mount"]


def test_a_mount_inside_another_is_found_in_either_order():
    assert paths(RULE, TWO.format(one="/data", other="/data/sets")) == ["file_systems[1].mount"]
    assert paths(RULE, TWO.format(one="/data/sets", other="/data")) == ["file_systems[1].mount"]


def test_names_that_only_begin_alike_are_fine():
    assert paths(RULE, TWO.format(one="/data", other="/data2")) == []


def test_scratch_counts_because_nodes_mount_it_too():
    (problem,) = problems(RULE, "file_systems: [{mount: /scratch, ebs: {size_gib: 9}}]")
    assert problem.message == "/scratch is mounted twice"
    assert problem.path == ("file_systems", 0, "mount")


def test_scratch_of_batch_is_mounted_too():
    batch = "platform: batch\nscratch: {mount: /fsx}\nfile_systems: [{mount: /fsx, lustre: {size_gib: 4800}}]"
    assert paths(RULE, batch) == ["scratch.mount"]


def test_scratch_is_not_mounted_on_eks():
    assert paths(RULE, "platform: eks\nfile_systems: [{mount: /scratch, openzfs: {size_gib: 64}}]") == []

from tests.rules.found import paths, problems

RULE = "shared-file-system-missing"
NCCL = "software: {setup: gpu, nccl: {version: 2.28.7-1}}"
IMAGES = 'software: {containers: true, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]}'
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"


def test_nccl_needs_a_file_system_at_its_mount():
    (problem,) = problems(RULE, NCCL)
    assert problem.remedy == "name a file system in file_systems"
    (problem,) = problems(RULE, f"{NCCL}\nfile_systems: [{{mount: /data, efs: {{}}}}]")
    assert problem.remedy == "name one of /data"


def test_any_shared_file_system_will_do_for_nccl():
    assert paths(RULE, f"{NCCL}\nfile_systems: [{{mount: /fsx, efs: {{}}}}]") == []


def test_images_need_lustre_or_the_mount_of_nccl():
    assert paths(RULE, IMAGES) == ["software.container_images"]
    assert paths(RULE, f"{IMAGES}\n{LUSTRE}") == []


def test_the_file_systems_of_an_environment_are_named_too():
    assert paths(RULE, f"{NCCL}\nenvironment: shared") == ["software.nccl.mount"]
    named = "file_systems: [{mount: /fsx, lustre: {id: environment}}]"
    assert paths(RULE, f"{NCCL}\nenvironment: shared\n{named}") == []

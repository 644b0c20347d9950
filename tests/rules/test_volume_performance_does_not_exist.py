import pytest

from tests.rules.found import paths, problems

RULE = "volume-performance-does-not-exist"


def shared(volume: str, platform: str = "parallelcluster") -> str:
    return f"platform: {platform}\nfile_systems: [{{mount: /apps, ebs: {{{volume}}}}}]"


def of_queue(volume: str, platform: str = "parallelcluster") -> str:
    queue = f"{{name: q, instance_type: m5.large, root_volume: {{{volume}}}}}"
    return f"platform: {platform}\nqueues: [{queue}]"


@pytest.mark.parametrize(
    ("volume", "key", "message"),
    [
        ("size_gib: 16385", "size_gib", "gp3 has 1 to 16,384 GiB, not 16,385"),
        ("size_gib: 3, type: io1", "size_gib", "io1 has 4 to 16,384 GiB, not 3"),
        ("size_gib: 499, type: st1", "size_gib", "st1 has 500 to 16,384 GiB, not 499"),
        ("size_gib: 1025, type: standard", "size_gib", "standard has 1 to 1,024 GiB, not 1,025"),
        ("size_gib: 100, iops: 2999", "iops", "gp3 has 3,000 to 16,000 IOPS, not 2,999"),
        ("size_gib: 100, iops: 16001", "iops", "gp3 has 3,000 to 16,000 IOPS, not 16,001"),
        (
            "size_gib: 10, iops: 6000",
            "iops",
            "gp3 has at most 500 IOPS for each GiB, 5,000 for 10 GiB, not 6,000",
        ),
        ("size_gib: 100, type: gp2, iops: 3000", "iops", "gp2 takes no IOPS, here 3,000"),
        ("size_gib: 100, throughput_mib_s: 124", "throughput_mib_s", "gp3 has 125 to 1,000 MiB/s, not 124"),
        (
            "size_gib: 100, throughput_mib_s: 751",
            "throughput_mib_s",
            "gp3 needs 3,004 IOPS for 751 MiB/s, and has 3,000",
        ),
        (
            "size_gib: 100, iops: 3999, throughput_mib_s: 1000",
            "throughput_mib_s",
            "gp3 needs 4,000 IOPS for 1,000 MiB/s, and has 3,999",
        ),
        (
            "size_gib: 100, type: io2, throughput_mib_s: 500",
            "throughput_mib_s",
            "io2 takes no throughput, here 500 MiB/s",
        ),
    ],
)
def test_what_a_type_does_not_have_is_found(volume: str, key: str, message: str):
    (problem,) = problems(RULE, shared(volume))
    assert problem.path == ("file_systems", 0, "ebs", key)
    assert problem.message == message


@pytest.mark.parametrize(
    "volume",
    [
        "size_gib: 16384",
        "size_gib: 100, iops: 16000, throughput_mib_s: 1000",
        "size_gib: 100, throughput_mib_s: 750",
        "size_gib: 10, iops: 5000",
        "size_gib: 65536, type: io2, iops: 256000",
        "size_gib: 500, type: st1",
        "size_gib: 1024, type: standard",
    ],
)
def test_the_bounds_themselves_are_fine(volume: str):
    assert paths(RULE, shared(volume)) == []


@pytest.mark.parametrize("volume_type", ["st1", "sc1"])
def test_hard_disks_cannot_hold_an_operating_system(volume_type: str):
    (problem,) = problems(RULE, of_queue(f"type: {volume_type}, size_gib: 100"))
    assert problem.path == ("queues", 0, "root_volume", "type")
    assert problem.message == f"{volume_type} cannot be a root volume"


def test_a_magnetic_volume_can():
    assert paths(RULE, of_queue("type: standard")) == []


def test_other_platforms_have_what_ebs_has():
    volume = "size_gib: 65536, iops: 80000, throughput_mib_s: 2000"
    assert paths(RULE, of_queue(volume, "eks")) == []
    assert paths(RULE, of_queue(volume)) == [
        "queues[0].root_volume.size_gib",
        "queues[0].root_volume.iops",
        "queues[0].root_volume.throughput_mib_s",
    ]


def test_the_head_node_is_looked_at_too():
    part = "head_node: {root_volume: {type: gp2, throughput_mib_s: 250}}"
    assert paths(RULE, part) == ["head_node.root_volume.throughput_mib_s"]


def test_a_volume_that_exists_is_left_to_key_without_effect():
    assert paths(RULE, shared("id: vol-0123456789abcdef0, type: gp2, iops: 3000")) == []


@pytest.mark.parametrize("platform", ["batch", "eks"])
def test_a_type_with_provisioned_iops_needs_their_number(platform: str):
    assert paths(RULE, of_queue("size_gib: 100, type: io2", platform)) == ["queues[0].root_volume.type"]
    assert paths(RULE, of_queue("size_gib: 100, type: io2, iops: 3000", platform)) == []


def test_parallelcluster_has_a_number_by_default():
    assert paths(RULE, of_queue("size_gib: 100, type: io2")) == []

from typing import Any

from tests.deploy.preflights.good import OWN_NETWORK, changed, found, image
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "root-volume-smaller-than-ami"


def of_size(gib: int) -> dict[str, Any]:
    disk = [
        {"DeviceName": "/dev/sdb", "Ebs": {"VolumeSize": 9000}},
        {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": gib}},
    ]
    return {"ec2.DescribeImages": listing("Images", [image(BlockDeviceMappings=disk)], image_id="ImageId")}


def test_a_root_volume_below_the_size_of_the_image_is_found_for_head_and_compute_nodes():
    spec = changed("    nodes: 4\n", "    nodes: 4\n    root_volume: {size_gib: 100}\n")
    assert found(PREFLIGHT, spec, of_size(150)) == ["queues[0].root_volume.size_gib"]
    assert found(PREFLIGHT, spec, of_size(600)) == [
        "head_node.root_volume.size_gib", "queues[0].root_volume.size_gib", "queues[1].root_volume.size_gib",
    ]  # fmt: skip
    assert found(PREFLIGHT, spec, of_size(100)) == []


def test_the_official_image_counts_where_there_is_no_other():
    assert found(PREFLIGHT, OWN_NETWORK, of_size(300)) == ["queues[0].root_volume.size_gib"]

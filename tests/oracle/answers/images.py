"""EC2 images: the official ones of the version, and custom ones as ``pcluster build-image`` makes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.oracle.aws import made_up_id, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracle.account import Account

    Answer = dict[str, Any]
    Parameters = Mapping[str, Any]

# Rocky Linux is not published: PRIVATE_OSES in pcluster/constants.py. amzn2 ended with 3.15.
_PUBLISHED = {"amzn2", "amzn2023", "ubuntu-2204-lts", "ubuntu-2404-lts", "rhel8", "rhel9"}
_ARCHITECTURES = ("x86_64", "arm64")
# "must be greater than or equal to the AMI volume size" stands beside 45 GiB in pcluster/constants.py.
_ROOT_VOLUME_GIB = 45


def images(account: Account, parameters: Parameters) -> Answer:
    """Describe images by id, or the official ones by name."""
    if parameters.get("ImageIds"):
        return {"Images": [_by_id(account, image) for image in parameters["ImageIds"]]}
    wanted = [pattern for one in parameters["Filters"] if one["Name"] == "name" for pattern in one["Values"]]
    official = [_official(account, architecture) for architecture in _ARCHITECTURES]
    return {"Images": [image for image in official if any(_is_called(account, image, name) for name in wanted)]}


def _by_id(account: Account, image: str) -> dict[str, Any]:
    official = {made["ImageId"]: made for made in (_official(account, one) for one in _ARCHITECTURES)}
    if image in official:
        return official[image]
    if image not in account.mentions.instance_types_by_image:
        raise refusal("InvalidAMIID.NotFound", f"The image id '[{image}]' does not exist")
    return _custom(account, image)


def _official(account: Account, architecture: str) -> dict[str, Any]:
    """Return the official image of the config's operating system; its name is checked where it is searched."""
    return {
        **_image(made_up_id("ami", account.facts.version, account.mentions.os, architecture), architecture),
        "OwnerId": "247102896272",
        "Description": f"AWS ParallelCluster AMI for {account.mentions.os}",
    }


def _custom(account: Account, image: str) -> dict[str, Any]:
    """Return an image that was built by this version, for this operating system and its instance types."""
    tags = {"version": account.facts.version, "os": account.mentions.os, "build_status": "available"}
    return {
        **_image(image, _architecture(account, account.mentions.instance_types_by_image[image])),
        "Description": "built for tests",
        "Tags": [{"Key": f"parallelcluster:{key}", "Value": value} for key, value in tags.items()],
    }


def _image(image: str, architecture: str) -> dict[str, Any]:
    return {
        "ImageId": image,
        "Architecture": architecture,
        "CreationDate": "2026-01-01T00:00:00.000Z",
        "State": "available",
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": _ROOT_VOLUME_GIB}}],
    }


def _architecture(account: Account, instance_types: list[str]) -> str:
    known = [account.facts.instance_types[name] for name in instance_types if name in account.facts.instance_types]
    supported: list[str] = known[0]["ProcessorInfo"]["SupportedArchitectures"] if known else ["x86_64"]
    return next(one for one in supported if one in _ARCHITECTURES)


def _is_called(account: Account, image: dict[str, Any], wanted: str) -> bool:
    """Tell whether an official image is called so: ``aws-parallelcluster-3.16.1-rhel9-hvm-x86_64*``."""
    named = re.fullmatch(rf".*aws-parallelcluster-{re.escape(account.facts.version)}-(.+)-hvm-(\w+)\*", wanted)
    return named is not None and named[1] in _PUBLISHED and named[2] == image["Architecture"]


ANSWERS = {"ec2.DescribeImages": images}

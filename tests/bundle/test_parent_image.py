"""What images can be built on."""

from __future__ import annotations

import pytest

from trainyard.bundle.parent_image import refuse_wrong_parent
from trainyard.errors import InputError

ARN = "arn:aws:imagebuilder:us-east-2:123456789012:image/ours/1.0.0"


@pytest.mark.parametrize(
    "parent",
    [
        "ami-0123456789abcdef0", "ami-01234567", ARN, f"{ARN}/2",
        "arn:aws:imagebuilder:us-east-2:aws:image/ubuntu-server-22-lts-x86/x.x.x",
    ],
)  # fmt: skip
def test_an_image_of_the_region_will_do(parent):
    refuse_wrong_parent(parent, "us-east-2")


def test_an_image_of_another_partition_will_do_in_its_own_region():
    china = ARN.replace("aws:image", "aws-cn:image").replace("us-east-2", "cn-north-1")
    refuse_wrong_parent(china, "cn-north-1")
    with pytest.raises(InputError, match="is of partition aws-cn, and us-east-2 of aws"):
        refuse_wrong_parent(china, "us-east-2")


def test_an_image_of_another_region_is_refused():
    with pytest.raises(InputError, match="lies in us-east-2, and the image is built in us-west-2"):
        refuse_wrong_parent(ARN, "us-west-2")


@pytest.mark.parametrize(
    "parent",
    [
        "", "ubuntu", "ami-", "ami-123", "ami-0123456789ABCDEF0", "ami-0123456789abcdef0 ", "ami-0123456789abcdef0\n",
        "arn:", "arn:aws:ec2:us-east-2:123456789012:image/ours/1.0.0", f"{ARN}/x", f"{ARN}.0",
        "arn:aws:imagebuilder:us-east-2:123456789012:image-recipe/ours/1.0.0",
        "arn:aws:imagebuilder:us-east-2:123456789012:image/x.x.x", "arn:aws:imagebuilder:us-east-2:aws:image/a/x.x.x/1",
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_the_forms_that_will_do(parent):
    with pytest.raises(InputError, match="neither the id of an image nor an ARN of Image Builder") as caught:
        refuse_wrong_parent(parent, "us-east-2")
    assert caught.value.where == "--parent-image"
    assert "ami-0a1b2c3d4e5f60718" in (caught.value.hint or "")

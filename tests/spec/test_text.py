"""The forms of names, ids and places: what AWS gives is accepted, what looks like it is not."""

from __future__ import annotations

import typing

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.each_case import each_case
from trainyard.spec import text
from trainyard.spec.text import (
    AvailabilityZone,
    BucketName,
    BucketUri,
    Cidr,
    ClusterName,
    IamPolicyArn,
    InstanceTypeName,
    KeyPairName,
    MountDir,
    QueueName,
    Region,
    ReservationGroupArn,
    ResourcePrefix,
    ScriptUrl,
    SubnetId,
    Version,
)

FORMS: dict[str, tuple[typing.Any, list[str], list[str]]] = {
    "cluster name": (ClusterName, ["a", "A-1", "a" * 60], ["", "1a", "-a", "a_b", "a/b", "..", "a" * 61, "é"]),
    "queue name": (QueueName, ["a", "a-1", "a" * 25], ["", "A", "1a", "a.b", "a" * 26]),
    "region": (
        Region,
        ["us-east-2", "ap-southeast-4", "us-gov-west-1", "cn-north-1", "us-isob-east-1"],
        ["us-east", "us-east-2a", "US-EAST-2", "us-east-22", "us-east-٢", "useast2"],
    ),
    "zone": (
        AvailabilityZone,
        ["us-east-2a", "us-gov-west-1b", "us-west-2-lax-1a"],
        ["us-east-2", "use2-az1", "us-east-2A", "us-east-٢a"],
    ),
    "instance type": (
        InstanceTypeName,
        ["p5.48xlarge", "u-6tb1.metal", "p6e-gb200.36xlarge", "mac2-m2.metal"],
        ["p5", "p5.", ".48xlarge", "P5.48xlarge", "p5.48xlarge ", "ml.p5.48xlarge"],
    ),
    "version": (Version, ["3.16.1", "10.0.0"], ["3.16", "3.16.1b1", "vv3.16.1", "3.16.٢"]),
    "address range": (
        Cidr,
        ["203.0.113.7/32", "0.0.0.0/0", "255.255.255.255/32"],
        ["203.0.113.7", "256.0.0.1/32", "1.2.3.4/33", "1/2.3.4/8", "::", "::/0", "2001:db8::/32", "٢.2.3.4/8"],
    ),
    "directory": (
        MountDir,
        ["/fsx", "/a/b", "/a.b_c-d"],
        ["fsx", "/", "/fsx/", "//fsx", "/..", "/a/../b", "/.a", "/a b", "/a\n", "/" + "a" * 256],
    ),
    "key pair": (KeyPairName, ["k", "my key", "~!"], ["", " k", "k ", "k\tk", "é", "k" * 256]),
    "bucket": (BucketName, ["abc", "a.b-c0"], ["ab", "s3://abc", "Abc", "-ab", "ab-", "a" * 64]),
    "bucket and prefix": (
        BucketUri,
        ["s3://abc", "s3://abc/", "s3://abc/d/e f".replace(" ", "")],
        ["abc", "s3://", "s3:/abc", "s3://abc/d e", "https://abc.s3.amazonaws.com"],
    ),
    "script": (
        ScriptUrl,
        ["s3://abc/x.sh", "https://x.example/x.sh"],
        ["s3://b/x.sh", "s3://abc", "s3://Abc/x.sh", "http://x.example/x.sh"],
    ),
    "resource prefix": (
        ResourcePrefix,
        ["/team/ml-", "/team/", "ml-", "/", "/team", "", "a" * 30],
        ["team/ml", "ml.", "a" * 31, "/" + "a" * 511 + "/"],
    ),
    "id": (
        SubnetId,
        ["subnet-0123456789abcdef0", "subnet-01234567"],
        ["subnet-", "subnet-0123456789ABCDEF0", "subnet-0123456789abcdef", "subnet-012345678", "vpc-01234567"],
    ),
    "reservation group": (
        ReservationGroupArn,
        ["arn:aws:resource-groups:us-east-2:123456789012:group/g", "arn:aws-cn:resource-groups:a:123456789012:group/g"],
        ["arn:aws:resource-groups:us-east-2:12345678901:group/g", "arn:aws:resource-groups:a:123456789012:group/"],
    ),
    "policy": (
        IamPolicyArn,
        ["arn:aws:iam::123456789012:policy/p", "arn:aws:iam::aws:policy/p", "arn:aws-cn:iam::123456789012:policy/a"],
        ["arn:aws:iam::123456789012:role/p", "arn:aws:iam::1234:policy/p"],
    ),
}  # fmt: skip


@each_case(
    ("form", "written"),
    [
        pytest.param(form, right, id=f"{name} {right!r:.40}")
        for name, (form, rights, _) in FORMS.items()
        for right in rights
    ],
)
def test_what_aws_gives_is_accepted(form, written):
    assert TypeAdapter(form).validate_python(written) == written


@each_case(
    ("form", "written"),
    [
        pytest.param(form, wrong, id=f"{name} {wrong!r:.40}")
        for name, (form, _, wrongs) in FORMS.items()
        for wrong in wrongs
    ],
)
def test_what_only_looks_like_it_is_refused_in_the_words_of_the_form(form, written):
    what = form.__metadata__[0].what
    with pytest.raises(ValidationError, match="must be") as raised:
        TypeAdapter(form).validate_python(written)
    assert [error["msg"] for error in raised.value.errors()] == [f"must be {what}"]


def test_every_kind_of_id_has_its_own_prefix_and_shows_it():
    ids = [form for name, form in vars(text).items() if name.endswith("Id")]
    shown = {form.__metadata__[0].what.split(" such as ")[1] for form in ids}
    assert len(shown) == len(ids)
    for form in ids:
        example = form.__metadata__[0].what.split(" such as ")[1]
        assert TypeAdapter(form).validate_python(example) == example

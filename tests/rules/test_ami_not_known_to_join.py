from tests.rules.found import paths

RULE = "ami-not-known-to-join"
AMI = "ami: ami-0123456789abcdef0"


def test_every_image_that_is_named_is_remarked():
    queues = f"queues: [{{name: a, instance_type: g5.xlarge}}, {{name: b, instance_type: g5.xlarge, {AMI}}}]"
    assert paths(RULE, f"platform: eks\nimage: {{{AMI}}}\n{queues}") == ["image.ami", "queues[1].ami"]


def test_eks_s_own_image_and_other_platforms_are_fine():
    assert paths(RULE, "platform: eks") == []
    assert paths(RULE, f"image: {{{AMI}}}") == []

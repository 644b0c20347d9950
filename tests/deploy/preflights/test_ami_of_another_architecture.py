from tests.deploy.preflights.good import changed, found, image, problems
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "ami-of-another-architecture"
ARM = {"ec2.DescribeImages": listing("Images", [image(Architecture="arm64")], image_id="ImageId")}


def test_an_image_for_other_processors_is_found_for_each_kind_of_node():
    told = problems(PREFLIGHT, answers=ARM)
    assert {problem.path for problem in told} == {("image", "ami")}
    assert "image ami-0123456789abcdef0 is for arm64, and queue 'compute-gpu' is of p5.48xlarge, which is x86_64" in {
        problem.message for problem in told
    }


def test_a_type_that_the_catalog_lacks_is_asked_for():
    spec = changed("instance_type: p5.48xlarge", "instance_type: p9g.48xlarge")
    known = {"InstanceType": "p9g.48xlarge", "ProcessorInfo": {"SupportedArchitectures": ["arm64"]}}
    answers = {"ec2.DescribeInstanceTypes": {"InstanceTypes": [known]}}
    assert found(PREFLIGHT, spec, answers) == ["image.ami"]


def test_nothing_is_said_of_types_that_nobody_knows():
    assert found(PREFLIGHT, changed("instance_type: p5.48xlarge", "instance_type: p9g.48xlarge")) == []

from typing import Any

from tests.deploy.preflights.good import OWN_NETWORK, changed, found, offered, problems

PREFLIGHT = "zone-without-instance-type"


def only(*zones: str) -> dict[str, Any]:
    everywhere = offered("us-east-2a", "us-east-2b", "us-east-2c")

    def answer(asked: Any) -> dict[str, Any]:
        given: dict[str, Any] = everywhere(asked)
        return {
            "InstanceTypeOfferings": [
                offering for offering in given["InstanceTypeOfferings"]
                if offering["InstanceType"] != "p5.48xlarge" or offering["Location"] in zones
            ]
        }  # fmt: skip

    return {"ec2.DescribeInstanceTypeOfferings": answer}


def test_a_type_that_the_zone_lacks_is_found_with_the_zones_that_have_it():
    (problem,) = problems(PREFLIGHT, OWN_NETWORK, only("us-east-2b", "us-east-2c"))
    assert problem.path == ("queues", 0, "instance_type")
    assert problem.message == "us-east-2a has no p5.48xlarge, which queue 'compute-gpu' is of"
    assert problem.remedy == "choose us-east-2b, us-east-2c"


def test_a_type_that_the_region_lacks_is_found():
    assert found(PREFLIGHT, OWN_NETWORK, only()) == ["queues[0].instance_type"]


def test_the_zone_of_an_existing_subnet_decides():
    assert found(PREFLIGHT, answers=only("us-east-2b")) == ["queues[0].instance_type"]


def test_one_of_several_zones_without_it_is_a_warning():
    spec = changed("nodes:", "efa: false, availability_zone: [us-east-2a, us-east-2b], nodes:", OWN_NETWORK)
    assert found(PREFLIGHT, spec, only("us-east-2a")) == ["queues[0].instance_type (warning)"]


def test_without_a_zone_it_is_enough_that_the_region_has_it():
    spec = changed("network: {availability_zone: us-east-2a}\n", "", OWN_NETWORK)
    assert found(PREFLIGHT, spec, only("us-east-2c")) == []

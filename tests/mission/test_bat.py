"""AWS Batch. tests/platforms/batch/ deploys it into an emulated account and runs its jobs."""

from __future__ import annotations

from tests.mission.subject import document, files, page, resources

BATCH = ("batch-p4d", "batch.yaml")


def test_bat_1_the_stack_has_environment_queue_template_definitions_and_registry():
    template = document(*BATCH)
    for kind in ("Batch::ComputeEnvironment", "Batch::JobQueue", "EC2::LaunchTemplate", "ECR::Repository"):
        assert resources(template, f"AWS::{kind}"), kind
    assert len(resources(template, "AWS::Batch::JobDefinition")) == 3
    (launch,) = resources(template, "AWS::EC2::LaunchTemplate").values()
    assert len(launch["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]) == 4


def test_bat_2_the_parameters_have_the_documented_names():
    parameters = document(*BATCH)["Parameters"]
    documented = {
        "VPCStackParameter", "AMI", "CapacityReservationId", "CapacityReservationResourceGroup", "EC2KeyPair",
        "CreatePlacementGroup",
    }  # fmt: skip
    assert documented <= set(parameters)
    assert all("Default" in parameters[name] for name in documented)


def test_bat_3_it_is_made_by_hand_or_by_a_link():
    assert "--capabilities CAPABILITY" in files("batch-p4d")["README.md"]
    assert "stackName=AWS-Batch" in page("batch.md")
    assert "stress-ng" in files("batch-p4d")["batch.yaml"]

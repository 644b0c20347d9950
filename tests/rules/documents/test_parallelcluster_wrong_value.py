import pytest

from tests.rules.documents.found import problems

RULE = "parallelcluster-wrong-value"


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("Monitoring: {Logs: {CloudWatch: {RetentionInDays: 10}}}", "RetentionInDays cannot be 10"),
        ("Monitoring: {DetailedMonitoring: maybe}", "DetailedMonitoring is true or false, not 'maybe'"),
        ("Tags: [{Key: team, Value: 5}]", "Value is text, not 5"),
        ("LoginNodes: {Pools: [{Count: many}]}", "Count is a whole number, not 'many'"),
        ("LoginNodes: {Pools: [{GracetimePeriod: 600}]}", "GracetimePeriod cannot be 600"),
        ("LoginNodes: {Pools: {Name: a}}", "Pools is a list, not a mapping"),
        ("HeadNode: {Networking: subnet-1}", "Networking is a mapping, not 'subnet-1'"),
        (
            "Scheduling: {SlurmQueues: [{CapacityType: ON_DEMAND}]}",
            "CapacityType cannot be 'ON_DEMAND'; did you mean ONDEMAND?",
        ),
    ],
)
def test_values_that_the_schema_refuses_are_named(part: str, message: str):
    (problem,) = problems(RULE, part)
    assert problem.message == message


@pytest.mark.parametrize(
    "part",
    [
        'LoginNodes: {Pools: [{Count: "2", GracetimePeriod: 3}]}',
        'Monitoring: {DetailedMonitoring: "true", Logs: {CloudWatch: {RetentionInDays: 14}}}',
        "LoginNodes: {Pools: [{Count: '${COUNT}', Networking: {SubnetIds: '<SUBNETS>'}}]}",
        "HeadNode: {Networking: {ElasticIp: true}}",
        "Image: {Os: whatever}",
    ],
)
def test_values_that_it_converts_and_placeholders_pass(part: str):
    assert problems(RULE, part) == []

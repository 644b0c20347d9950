from tests.rules.documents.found import paths

RULE = "parallelcluster-capacity-contradicts"
TARGET = "CapacityReservationTarget: {CapacityReservationId: cr-1}"


def queue(kind: str, of_queue: str = "", of_resource: str = "") -> str:
    resource = f"{{Name: b, InstanceType: p5.48xlarge, {of_resource}}}"
    return (
        f"Scheduling: {{SlurmQueues: [{{Name: a, CapacityType: {kind}, {of_queue} ComputeResources: [{resource}]}}]}}"
    )


def test_spot_never_runs_in_a_reservation():
    at = ["Scheduling.SlurmQueues[0].CapacityType"]
    assert paths(RULE, queue("SPOT", of_resource=TARGET)) == at
    assert paths(RULE, queue("SPOT", of_queue=f"{TARGET},")) == at
    assert paths(RULE, queue("SPOT")) == []


def test_a_block_has_to_be_named():
    at = ["Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget"]
    assert paths(RULE, queue("CAPACITY_BLOCK")) == at
    assert paths(RULE, queue("CAPACITY_BLOCK", of_queue=f"{TARGET},")) == []
    assert paths(RULE, queue("CAPACITY_BLOCK", of_resource=TARGET)) == []
    assert paths(RULE, queue("ONDEMAND", of_resource=TARGET)) == []

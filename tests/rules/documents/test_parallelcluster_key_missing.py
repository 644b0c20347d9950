from tests.rules.documents.found import paths, problems

RULE = "parallelcluster-key-missing"


def test_keys_that_go_together_are_asked_for():
    settings = "SlurmSettings: {Database: {Uri: db}}"
    queue = "{Name: a, Networking: {SubnetIds: [subnet-1]}, ComputeResources: [{Name: a, InstanceType: m5.large}]}"
    assert paths(RULE, f"Scheduling: {{Scheduler: slurm, {settings}, SlurmQueues: [{queue}]}}") == [
        "Scheduling.SlurmSettings.Database.PasswordSecretArn",
        "Scheduling.SlurmSettings.Database.UserName",
    ]


def test_a_reservation_of_the_queue_gives_no_type():
    target = "CapacityReservationTarget: {CapacityReservationId: cr-1}"
    queue = f"{{Name: a, {target}, Networking: {{SubnetIds: [subnet-1]}}, ComputeResources: [{{Name: b}}]}}"
    (problem,) = problems(RULE, f"Scheduling: {{Scheduler: slurm, SlurmQueues: [{queue}]}}")
    assert problem.path == ("Scheduling", "SlurmQueues", 0, "ComputeResources", 0, "InstanceType")
    own = f"{{Name: a, Networking: {{SubnetIds: [subnet-1]}}, ComputeResources: [{{Name: b, {target}}}]}}"
    assert paths(RULE, f"Scheduling: {{Scheduler: slurm, SlurmQueues: [{own}]}}") == []


def test_keys_that_only_former_versions_needed_are_not_asked_for():
    assert "Scheduling.AwsBatchQueues" not in paths(RULE, "Scheduling: {Scheduler: slurm}")

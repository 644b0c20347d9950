import pytest

from tests.rules.found import paths, problems

RULE = "key-without-effect"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:pager-AbCdEf"
SUBNETS = "private_subnets: [subnet-0123456789abcdef0], public_subnets: [subnet-0123456789abcdef1]"
NODES = "queues: [{{name: q, instance_type: {type}, {more}}}]"
EXISTING = f"existing: {{vpc: vpc-0123456789abcdef0, {SUBNETS}}}"


def test_a_zone_beside_an_existing_network_is_found():
    assert paths(RULE, f"network: {{availability_zone: us-east-2a, {EXISTING}}}") == ["network.availability_zone"]


def test_an_address_for_alerts_that_nothing_finds_is_found():
    assert paths(RULE, "monitoring: {alert_email: ml@example.com}") == ["monitoring.alert_email"]
    assert paths(RULE, "monitoring: {mode: amp-only, alert_email: ml@example.com}") == []


def test_receivers_of_alerts_that_nobody_finds_are_found():
    receivers = f"alert_receivers: [{{kind: pagerduty, secret: '{SECRET}'}}]"
    assert paths(RULE, f"monitoring: {{{receivers}}}") == ["monitoring.alert_receivers"]
    assert paths(RULE, f"monitoring: {{mode: amp-only, {receivers}}}") == []


@pytest.mark.parametrize("subnet", ["private", "subnet-0123456789abcdef0"])
def test_a_queue_s_zone_beside_an_existing_network_is_found(subnet: str):
    queue = f"{{name: q, instance_type: m5.large, availability_zone: us-east-2b, subnet: {subnet}}}"
    assert paths(RULE, f"network: {{{EXISTING}}}\nqueues: [{queue}]") == ["queues[0].availability_zone"]


def test_a_zone_of_a_public_queue_is_found_because_there_is_one_public_subnet():
    part = "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-2b, subnet: public}]"
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_a_zone_of_a_private_queue_in_a_network_to_be_made_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-2b}]") == []


def test_settings_of_a_file_system_that_exists_are_found_each():
    lustre = "{id: fs-0123456789abcdef0, deployment: SCRATCH_2, data_repository: s3://bucket}"
    assert paths(RULE, f"file_systems: [{{mount: /fsx, lustre: {lustre}}}]") == [
        "file_systems[0].lustre.data_repository",
        "file_systems[0].lustre.deployment",
    ]


def test_settings_of_a_file_system_to_be_made_are_fine():
    part = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"
    assert paths(RULE, part) == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("ebs: {id: vol-0123456789abcdef0, type: gp3, when_deleted: Delete}", ["ebs.type", "ebs.when_deleted"]),
        ("openzfs: {id: fsvol-0123456789abcdef0, throughput_mb_s: 160}", ["openzfs.throughput_mb_s"]),
        ("efs: {id: fs-0123456789abcdef0, performance: maxIO}", ["efs.performance"]),
        ("lustre: {id: fs-0123456789abcdef0, auto_import: [NEW]}", ["lustre.auto_import"]),
    ],
)
def test_settings_of_every_kind_that_exists_are_found(written: str, found: list[str]):
    assert paths(RULE, f"file_systems: [{{mount: /data, {written}}}]") == [f"file_systems[0].{key}" for key in found]


def test_how_an_existing_efs_is_mounted_has_an_effect():
    efs = "{id: fs-0123456789abcdef0, access_point: fsap-0123456789abcdef0, iam_authorization: true, encryption_in_transit: true}"  # noqa: E501
    assert paths(RULE, f"file_systems: [{{mount: /home, efs: {efs}}}]") == []


def test_an_access_point_of_a_file_system_to_be_made_is_found():
    part = "file_systems: [{mount: /home, efs: {access_point: fsap-0123456789abcdef0}}]"
    assert paths(RULE, part) == ["file_systems[0].efs.access_point"]


def test_a_version_of_no_image_is_found():
    assert paths(RULE, "image: {built_for: 3.16.1}") == ["image.built_for"]
    assert paths(RULE, "image: {built_for: 3.16.1}\nhead_node: {ami: ami-0123456789abcdef0}") == []


@pytest.mark.parametrize("capacity", ["on-demand", "{reservation: cr-0123456789abcdef0}"])
def test_a_spot_price_without_spot_is_found(capacity: str):
    part = NODES.format(type="g5.xlarge", more=f"spot_price_usd_per_hour: 1.5, capacity: {capacity}")
    assert paths(RULE, part) == ["queues[0].spot_price_usd_per_hour"]


def test_a_spot_price_of_spot_is_fine():
    assert paths(RULE, NODES.format(type="g5.xlarge", more="spot_price_usd_per_hour: 1.5, capacity: spot")) == []


@pytest.mark.parametrize(("type_", "more"), [("p5.48xlarge", ", efa: false"), ("g5.xlarge", "")])
def test_gpudirect_without_efa_is_found(type_: str, more: str):
    assert paths(RULE, NODES.format(type=type_, more="gpudirect: true" + more)) == ["queues[0].gpudirect"]


def test_gpudirect_over_an_efa_that_does_not_have_it_is_found():
    (problem,) = problems(RULE, NODES.format(type="g5.8xlarge", more="gpudirect: true"))
    assert problem.message == "the EFA of g5.8xlarge does not reach the memory of its GPUs"


def test_gpudirect_with_efa_and_gpudirect_that_is_off_are_fine():
    assert paths(RULE, NODES.format(type="p5.48xlarge", more="gpudirect: true")) == []
    assert paths(RULE, NODES.format(type="g5.xlarge", more="gpudirect: false")) == []


@pytest.mark.parametrize(
    ("nodes", "found"),
    [("{min: 0, max: 4}", ["static_priority"]), ("4", ["dynamic_priority"]), ("{min: 1, max: 4}", [])],
)
def test_a_priority_of_nodes_that_there_are_none_of_is_a_warning(nodes: str, found: list[str]):
    more = f"nodes: {nodes}, static_priority: 2, dynamic_priority: 20"
    found_ = problems(RULE, NODES.format(type="m5.large", more=more))
    assert [problem.path[-1] for problem in found_] == found
    assert {problem.severity for problem in found_} <= {"warning"}


def test_a_strategy_without_a_choice_is_found():
    part = NODES.format(type="g5.xlarge", more="allocation_strategy: lowest-price")
    assert paths(RULE, part) == ["queues[0].allocation_strategy"]


def test_a_strategy_may_choose_among_types_or_zones():
    types = "queues: [{name: q, instance_types: [g5.8xlarge, g5.12xlarge], allocation_strategy: lowest-price}]"
    assert paths(RULE, types) == []
    zones = "allocation_strategy: lowest-price, availability_zone: [us-east-2a, us-east-2b]"
    assert paths(RULE, NODES.format(type="m5.large", more=zones)) == []


def test_one_kind_of_nodes_with_several_types_leaves_a_strategy_its_choice():
    resources = "[{instance_type: g5.xlarge}, {instance_types: [g5.8xlarge, g5.12xlarge]}]"
    assert (
        paths(RULE, f"queues: [{{name: q, allocation_strategy: lowest-price, compute_resources: {resources}}}]") == []
    )


def test_a_strategy_may_choose_among_existing_subnets_where_there_are_several():
    part = NODES.format(type="m5.large", more="allocation_strategy: lowest-price")
    existing = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [%s]}}\n"
    assert paths(RULE, existing % "subnet-0123456789abcdef0, subnet-0123456789abcdef1" + part) == []
    assert paths(RULE, existing % "subnet-0123456789abcdef0" + part) == ["queues[0].allocation_strategy"]
    zone = NODES.format(type="m5.large", more="allocation_strategy: lowest-price, availability_zone: us-east-2a")
    assert paths(RULE, zone) == ["queues[0].allocation_strategy"]


def test_memory_for_jobs_is_a_warning_where_slurm_does_not_count_memory():
    part = NODES.format(type="m5.8xlarge", more="schedulable_memory_mib: 100000")
    (problem,) = problems(RULE, part)
    assert (problem.path, problem.severity) == (("queues", 0, "schedulable_memory_mib"), "warning")
    assert problem.message == "queue 'q' gives jobs 100,000 MiB, and Slurm does not count memory"
    assert paths(RULE, part + "\nparallelcluster: {slurm: {memory_scheduling: true}}") == []


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_an_instance_that_is_not_made_has_no_type(mode: str):
    monitoring = f"monitoring: {{mode: {mode}, instance_type: m5.large}}"
    assert paths(RULE, monitoring) == ["monitoring.instance_type"]
    assert paths(RULE, monitoring.replace(mode, "self-hosting")) == []

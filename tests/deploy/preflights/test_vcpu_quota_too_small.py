from typing import Any

import pytest

from tests.deploy.preflights.good import (
    ACCOUNT,
    OWN_NETWORK,
    RESERVATION,
    changed,
    found,
    problems,
    quotas,
    reservation,
)
from tests.deploy.preflights.on_eks import SPEC
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "vcpu-quota-too-small"
STATIC = changed("nodes: {min: 0, max: 4}", "nodes: 4", OWN_NETWORK)
NOTHING_RESERVED: dict[str, Any] = {"ec2.DescribeCapacityReservations": {"CapacityReservations": []}}


def asked(spec: str, vcpus: float, **answers: Any) -> list[str]:
    return found(PREFLIGHT, spec, {**NOTHING_RESERVED, "service-quotas.GetServiceQuota": quotas(vcpus), **answers})


def running(*instances: dict[str, Any]) -> dict[str, Any]:
    made = [{"InstanceId": f"i-{number}", **one} for number, one in enumerate(instances)]
    return {"ec2.DescribeInstances": {"Reservations": [{"Instances": made}]}}


P5: dict[str, Any] = {"InstanceType": "p5.48xlarge"}


def test_static_nodes_beyond_the_quota_are_an_error_at_their_number():
    assert asked(STATIC, 767) == ["queues[0].nodes"]
    assert asked(STATIC, 768) == []


def test_dynamic_nodes_beyond_the_quota_are_a_warning():
    assert asked(OWN_NETWORK, 700) == ["queues[0].nodes (warning)"]


def test_a_new_account_has_no_p_instances_and_is_told_where_to_ask_for_them():
    answers = {**NOTHING_RESERVED, "service-quotas.GetServiceQuota": quotas(0)}
    problem = next(problem for problem in problems(PREFLIGHT, STATIC, answers) if problem.path[0] == "queues")
    assert problem.message == (
        "queue 'compute-gpu' (p5.48xlarge): 768 vCPUs of 'Running On-Demand P instances' are needed, and the account "
        "may run 0, of which 0 are in use"
    )
    assert problem.remedy == (
        "ask for 768 or more: https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas/L-417A185B"
    )


def test_what_others_run_counts():
    assert asked(STATIC, 768, **running(P5)) == ["queues[0].nodes"]


def test_what_this_cluster_runs_already_does_not_count_twice():
    mine = {**P5, "Tags": [{"Key": "parallelcluster:cluster-name", "Value": "llm-p5"}]}
    assert asked(STATIC, 768, **running(mine, mine)) == []


@pytest.mark.parametrize("other", [{"InstanceType": "m5.large"}, {**P5, "InstanceLifecycle": "spot"},
                                   {**P5, "InstanceLifecycle": "capacity-block"}])  # fmt: skip
def test_other_families_and_other_ways_to_buy_do_not_count(other):
    assert asked(STATIC, 768, **running(other)) == []


def test_a_reservation_counts_as_a_whole_whether_used_or_not():
    reserved = {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(AvailableInstanceCount=1)]}}
    used = {**P5, "CapacityReservationId": RESERVATION}
    assert asked(STATIC, 768 + 4 * 192, **reserved, **running(used, used, used)) == []
    assert asked(STATIC, 768 + 4 * 192 - 1, **reserved, **running(used, used, used)) == ["queues[0].nodes"]


@pytest.mark.parametrize(
    "of", [{"OwnerId": "210987654321"}, {"State": "expired"}, {"ReservationType": "capacity-block"}]
)
def test_reservations_of_others_past_ones_and_capacity_blocks_do_not_count(of):
    reserved = {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(**of)]}}
    assert asked(STATIC, 768, **reserved) == []


def test_nodes_from_reserved_capacity_need_no_further_quota():
    spec = changed("nodes: 4}", f"nodes: 4, capacity: {{reservation: {RESERVATION}}}}}", STATIC)
    assert asked(spec, 100) == []


def test_spot_has_a_quota_of_its_own():
    spec = changed("nodes: 4}", "nodes: 4, capacity: spot}", STATIC)
    answers = {**NOTHING_RESERVED, "service-quotas.GetServiceQuota": quotas(100)}
    assert [problem.remedy for problem in problems(PREFLIGHT, spec, answers)] == [
        "ask for 768 or more: https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas/L-7212CCBC"
    ]


def test_head_node_login_nodes_and_queues_of_one_family_are_added_up():
    spec = STATIC.replace("p5.48xlarge", "m5.8xlarge") + "login_nodes: {count: 2, instance_type: m5.large}\n"
    assert asked(spec, 4 * 32 + 32 + 2 * 2) == []
    assert asked(spec, 4 * 32 + 32 + 2 * 2 - 1) == ["queues[0].nodes"]


def test_a_type_that_the_catalog_lacks_is_asked_for():
    spec = STATIC.replace("p5.48xlarge", "p9.48xlarge")
    described = {"InstanceTypes": [{"InstanceType": "p9.48xlarge", "VCpuInfo": {"DefaultVCpus": 512}}]}
    assert asked(spec, 1000, **{"ec2.DescribeInstanceTypes": described}) == ["queues[0].nodes"]


def test_without_a_value_of_its_own_the_account_has_aws_s_default():
    answers = {
        **NOTHING_RESERVED,
        "service-quotas.GetServiceQuota": Refusal("NoSuchResourceException"),
        "service-quotas.GetAWSDefaultServiceQuota": quotas(100),
    }
    assert found(PREFLIGHT, STATIC, answers) == ["queues[0].nodes"]


def test_a_quota_that_nobody_knows_is_told_and_no_error():
    none = Refusal("NoSuchResourceException")
    answers = {"service-quotas.GetServiceQuota": none, "service-quotas.GetAWSDefaultServiceQuota": none}
    assert set(found(PREFLIGHT, STATIC, {**NOTHING_RESERVED, **answers})) == {
        "queues[0].nodes (info)", "head_node (info)",
    }  # fmt: skip


def test_the_account_of_these_tests_owns_its_reservations():
    assert reservation()["OwnerId"] == ACCOUNT


def test_what_eks_starts_at_once_is_an_error_and_what_it_may_have_later_a_warning():
    desired = SPEC.replace("{min: 0, max: 4}", "{min: 0, max: 4, desired: 2}")
    assert asked(desired, 383) == ["queues[0].nodes"]
    assert asked(desired, 767) == ["queues[0].nodes (warning)"]
    assert asked(SPEC, 767) == ["queues[0].nodes (warning)"]


def test_the_system_nodes_of_eks_count_as_well():
    assert sorted(asked(SPEC, 7)) == ["eks.system_nodes.count", "queues[0].nodes (warning)"]

import pytest

from tests.rules.documents.found import launching, problems, template

RULE = "cloudformation-pcs-block-incomplete"
MARKET = "InstanceMarketOptions: {MarketType: capacity-block}"
RESERVATION = "CapacityReservationSpecification: {CapacityReservationTarget: {CapacityReservationId: cr-1}}"
GROUP = "PCS::ComputeNodeGroup {PurchaseOption: CAPACITY_BLOCK, CustomLaunchTemplate: {TemplateId: !Ref A}}"


@pytest.mark.parametrize(
    ("data", "missing"),
    [
        ("{}", "no InstanceMarketOptions and no CapacityReservationSpecification"),
        (f"{{{MARKET}}}", "no CapacityReservationSpecification"),
        (f"{{{RESERVATION}, InstanceMarketOptions: {{MarketType: spot}}}}", "no InstanceMarketOptions"),
    ],
)
def test_a_launch_template_without_the_block_is_found(data: str, missing: str):
    (problem,) = problems(RULE, template(launching(data), GROUP))
    assert problem.message.endswith(missing)


@pytest.mark.parametrize(
    "market", [MARKET, "InstanceMarketOptions: !If [a, {MarketType: capacity-block}, !Ref AWS::NoValue]"]
)
def test_a_launch_template_with_the_block_is_fine(market: str):
    assert problems(RULE, template(launching(f"{{{market}, {RESERVATION}}}"), GROUP)) == []


def test_other_groups_and_templates_from_elsewhere_are_not_judged():
    assert problems(RULE, template(launching("{}"), GROUP.replace("CAPACITY_BLOCK", "ONDEMAND"))) == []
    assert problems(RULE, template(launching("{}"), GROUP.replace("!Ref A", "!Ref Parameter"))) == []

import pytest

from tests.rules.documents.found import problems

RULE = "cloudformation-route-without-gateway"
RESOURCES = """\
Resources:
  Gateway: {Type: AWS::EC2::InternetGateway}
  Attachment: {Type: AWS::EC2::VPCGatewayAttachment, Properties: {InternetGatewayId: !Ref Gateway}}
"""


def route(keys: str) -> str:
    return f"{RESOURCES}  Route: {{Type: AWS::EC2::Route, {keys}}}"


@pytest.mark.parametrize("waits", ["", ", DependsOn: Gateway", ", DependsOn: [Gateway]"])
def test_a_route_that_waits_for_no_attachment_is_found(waits: str):
    (problem,) = problems(RULE, route(f"Properties: {{GatewayId: !Ref Gateway}}{waits}"))
    assert problem.path == ("Resources", "Route")
    assert problem.remedy == "write DependsOn: Attachment"


@pytest.mark.parametrize(
    "keys",
    [
        "Properties: {GatewayId: !Ref Gateway}, DependsOn: Attachment",
        "Properties: {GatewayId: !Ref Gateway}, DependsOn: [Gateway, Attachment]",
        "Properties: {NatGatewayId: !Ref Nat}",
        "Properties: {GatewayId: !Ref GivenGateway}",
    ],
)
def test_routes_that_wait_and_those_to_what_exists_are_fine(keys: str):
    assert problems(RULE, route(keys)) == []

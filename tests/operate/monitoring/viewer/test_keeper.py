"""Where the metrics are."""

from __future__ import annotations

import pytest

from tests.edge.prometheus_stand_in import Says, StandIn, standing_in
from trainyard.api.monitor_view import log_account
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.monitoring.viewer.metrics_source import keeper_at, keeper_of

WORKSPACE = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1"
ENDPOINT = "https://vpce-1.aps-workspaces.us-east-2.vpce.amazonaws.com/workspaces/ws-1"


@pytest.mark.parametrize(
    ("written", "region", "amazon"),
    [
        ("http://localhost:9090/graph", None, False),
        (f"{WORKSPACE}/api/v1/remote_write", None, True),
        (WORKSPACE, "us-east-1", True),
        (ENDPOINT, "us-east-2", True),
        (ENDPOINT, None, False),
    ],
)
def test_only_amazon_is_asked_with_the_rights_of_an_account(written, region, amazon):
    assert keeper_at(written, region, None).is_amazon is amazon


def test_a_profile_for_a_prometheus_that_would_not_use_it_is_refused():
    with pytest.raises(InputError, match="not asked with the rights of an account"):
        keeper_at("http://localhost:9090", None, "mine")


STACK = """<member><StackName>{name}</StackName><StackId>arn:{name}</StackId><StackStatus>CREATE_COMPLETE</StackStatus>
<CreationTime>2026-11-21T00:00:00Z</CreationTime><Tags>{tags}</Tags><Outputs>{outputs}</Outputs></member>"""
CLUSTER, ENVIRONMENT = "trainyard:cluster", "trainyard:environment"


@pytest.fixture
def server():
    with standing_in() as made:
        yield made


def stack(name: str, tags: dict[str, str], outputs: dict[str, str]) -> str:
    told = "".join(f"<member><Key>{key}</Key><Value>{value}</Value></member>" for key, value in tags.items())
    said = "".join(
        f"<member><OutputKey>{key}</OutputKey><OutputValue>{value}</OutputValue></member>"
        for key, value in outputs.items()
    )
    return STACK.format(name=name, tags=told, outputs=said)


def account_with(server: StandIn, *stacks: str) -> Account:
    space = "http://cloudformation.amazonaws.com/doc/2010-05-15/"
    result = f"<DescribeStacksResult><Stacks>{''.join(stacks)}</Stacks></DescribeStacksResult>"
    body = f'<DescribeStacksResponse xmlns="{space}">{result}</DescribeStacksResponse>'
    server.answers = [Says(body, headers={"Content-Type": "text/xml"})]
    keys = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}
    return Account("us-east-2", server.url, credentials=keys)


@pytest.mark.integration
@pytest.mark.enable_socket
@pytest.mark.parametrize("shared", [False, True], ids=["of its own", "of its environment"])
def test_the_workspace_of_a_cluster_is_found_by_its_name(shared, server):
    outputs = {"AMPPrometheusEndpoint": f"{WORKSPACE}/"}
    own = stack("mine-monitoring", {CLUSTER: "mine"}, outputs)
    environment = (
        stack("use2-monitoring", {ENVIRONMENT: "use2"}, outputs),
        stack("mine", {CLUSTER: "mine", ENVIRONMENT: "use2"}, {}),
    )
    prometheus_api = keeper_of("mine", account_with(server, *(environment if shared else (own,))))
    assert (prometheus_api.url, prometheus_api.is_amazon) == (WORKSPACE, True)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_for_an_instance_the_commands_that_lead_there_are_told(server):
    account = account_with(server, stack("mine-monitoring", {CLUSTER: "mine"}, {"MonitoringInstanceId": "i-1"}))
    with pytest.raises(TrainyardError, match="lie on the instance i-1") as error:
        keeper_of("mine", account)
    assert "aws ssm start-session --region us-east-2 --target i-1 " in str(error.value.hint)
    assert "trainyard monitor view --prometheus http://localhost:9090 --region us-east-2" in str(error.value.hint)


@pytest.mark.parametrize(
    ("prometheus", "region", "logs_in"),
    [
        ("http://localhost:9090", None, None),
        ("http://localhost:9090", "us-east-2", "us-east-2"),
        ("https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1", None, "eu-west-1"),
        ("https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1", "us-east-2", "us-east-2"),
    ],
)
def test_logs_are_read_in_the_region_of_the_metrics_or_the_one_that_is_given(
    prometheus: str, region: str | None, logs_in: str | None
):
    where = log_account(None, prometheus, region=region)
    assert (where and where.region) == logs_in


def test_the_logs_of_a_cluster_are_where_the_cluster_is():
    where = log_account("llm", None, region="us-east-2")
    assert where is not None
    assert where.region == "us-east-2"


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_cluster_that_is_not_there_or_measures_nothing_is_told(server):
    other = stack("other-monitoring", {CLUSTER: "other"}, {"AMPPrometheusEndpoint": WORKSPACE})
    with pytest.raises(TrainyardError, match="no stack of mine in us-east-2 says where its metrics are"):
        keeper_of("mine", account_with(server, other))

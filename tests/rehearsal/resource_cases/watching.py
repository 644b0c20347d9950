"""Resources of AWS: metrics, dashboards, logs, secrets and settings."""

from __future__ import annotations

from tests.rehearsal.cloud import TRUST
from tests.rehearsal.resource_cases.parts import Cases, att, ref, resource

_DEFINITION = "alertmanager_config: |\n  {route: {receiver: default}, receivers: [{name: default}]}\n"
_RULES = "groups: [{name: demo, rules: [{alert: Down, expr: up == 0}]}]"
CASES: Cases = {
    "APS::Workspace": (
        {"It": resource("APS::Workspace", Alias="demo", AlertManagerDefinition=_DEFINITION)},
        ["Arn", "PrometheusEndpoint", "WorkspaceId"],
    ),
    "APS::RuleGroupsNamespace": (
        {
            "Workspace": resource("APS::Workspace"),
            "It": resource("APS::RuleGroupsNamespace", Name="demo", Workspace=att("Workspace", "Arn"), Data=_RULES),
        },
        ["Arn"],
    ),
    "Grafana::Workspace": (
        {
            "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
            "It": resource(
                "Grafana::Workspace",
                Name="demo",
                AccountAccessType="CURRENT_ACCOUNT",
                AuthenticationProviders=["AWS_SSO"],
                PermissionType="CUSTOMER_MANAGED",
                RoleArn=att("Role", "Arn"),
            ),
        },
        ["Endpoint", "GrafanaVersion", "Id", "Status"],
    ),
    "SecretsManager::Secret": (
        {
            "It": resource(
                "SecretsManager::Secret",
                GenerateSecretString={
                    "SecretStringTemplate": '{"username": "admin"}',
                    "GenerateStringKey": "password",
                    "PasswordLength": 32,
                    "ExcludePunctuation": "true",
                },
            )
        },
        ["Id"],
    ),
    "Logs::MetricFilter": (
        {
            "Log": resource("Logs::LogGroup", RetentionInDays=7),
            "It": resource(
                "Logs::MetricFilter",
                LogGroupName=ref("Log"),
                FilterPattern="ERROR",
                MetricTransformations=[{"MetricName": "m", "MetricNamespace": "n", "MetricValue": "1"}],
            ),
        },
        [],
    ),
    "SSM::Parameter": ({"It": resource("SSM::Parameter", Type="String", Value="v")}, ["Value"]),
    "CloudFormation::WaitConditionHandle": ({"It": resource("CloudFormation::WaitConditionHandle")}, []),
    "SNS::Topic": (
        {
            "Topic": resource("SNS::Topic"),
            "It": resource("SNS::Subscription", TopicArn=ref("Topic"), Protocol="email", Endpoint="a@example.com"),
        },
        [],
    ),
    "SNS::TopicPolicy": (
        {
            "Topic": resource("SNS::Topic", KmsMasterKeyId="alias/aws/sns"),
            "It": resource(
                "SNS::TopicPolicy",
                Topics=[ref("Topic")],
                PolicyDocument={
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "aps.amazonaws.com"},
                            "Action": "sns:Publish",
                            "Resource": ref("Topic"),
                        }
                    ],
                },
            ),
        },
        ["Id"],
    ),
    "CloudWatch::Dashboard": ({"It": resource("CloudWatch::Dashboard", DashboardBody='{"widgets": []}')}, []),
}

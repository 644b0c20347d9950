"""The first version of the instance metadata service."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.batch import launch_templates
from trainyard.rules.cloudformation.template import mappings
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield v1.0, which also answers requests without a session."""
    if spec.parallelcluster.imds == "v1.0":
        problem = f"imds {spec.parallelcluster.imds} hands out credentials to any request that reaches it"
        path = ("parallelcluster", "imds")
        yield Problem(path, problem, fix=Fix(path, "v2.0"))


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield launch templates that do not require tokens."""
    for template in launch_templates(document):
        written = template.written.get("MetadataOptions")
        if written is None:
            message = f"{template.resource} has no MetadataOptions, so the image or the account decides about IMDSv1"
            yield Problem(template.path, message)
        for path, options in mappings(document, written, (*template.path, "MetadataOptions")):
            if not {"HttpTokens", "Fn::Transform"} & options.keys() and options.get("HttpEndpoint") != "disabled":
                message = (
                    f"{template.resource} has MetadataOptions without HttpTokens, so the image or the account decides"
                )
                yield Problem(path, f"{message} about IMDSv1", fix=Fix((*path, "HttpTokens"), "required"))
            if options.get("HttpTokens") == "optional":
                tokens = (*path, "HttpTokens")
                message = f"{template.resource} answers IMDSv1: HttpTokens is optional"
                yield Problem(tokens, message, fix=Fix(tokens, "required"))


RULE = Rule(
    severity="warning",
    title="Instance metadata without a session",
    rationale=(
        "The metadata service hands out the credentials of a node. In its first version one simple request is "
        "enough, so that a program that can be talked into fetching an address gives them away."
    ),
    remedy="remove the key: v2.0 is the default",
    source="https://aws.amazon.com/blogs/security/defense-in-depth-open-firewalls-reverse-proxies-ssrf-vulnerabilities-ec2-instance-metadata-service/",
    bad="""\
parallelcluster: {imds: v1.0}
""",
    good="""\
parallelcluster: {imds: v2.0}
""",
    check=check,
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-imds-version-1",
    check_cloudformation,
    severity="info",
    remedy="write MetadataOptions: {HttpTokens: required}",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: p4d.24xlarge}}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: p4d.24xlarge, MetadataOptions: {HttpTokens: required}}}
""",
)

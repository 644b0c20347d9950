"""Runtimes of Lambda functions that AWS supports no longer, or not for long, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from trainyard.catalog.lambda_runtimes import lambda_runtimes, lambda_runtimes_read
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import resources, values

_SOON = timedelta(days=183)


def check(document: Document) -> Iterator[Problem]:
    """Yield runtimes of which no function can be made any more, those without updates, and those that end soon."""
    for function in resources(document, "AWS::Lambda::Function", "AWS::Serverless::Function"):
        path = (*function.path, "Properties", "Runtime")
        for place, name in values(document, function.properties.get("Runtime"), path):
            runtime = lambda_runtimes().get(name) if isinstance(name, str) else None
            if runtime is None:
                continue
            today, subject = lambda_runtimes_read(), f"{function.name} runs on {name}"
            if runtime.update_blocked is not None and runtime.update_blocked <= today:
                message = f"{subject}, of which no function can be made or changed since {runtime.update_blocked}"
                yield Problem(place, message, severity="error")
            elif runtime.deprecated is not None and runtime.deprecated <= today:
                yield Problem(place, f"{subject}, which has no support since {runtime.deprecated}")
            elif runtime.deprecated is not None and runtime.deprecated <= today + _SOON:
                yield Problem(place, f"{subject}, which has support until {runtime.deprecated}", severity="info")


RULE = DocumentRule(
    severity="warning",
    title="Lambda runtime that ends",
    rationale=(
        "AWS ends the support of a runtime, some weeks later lets nobody make functions of it, and at last nobody "
        "change any: a template that worked a year ago then fails in the middle and is rolled back. Dates are judged "
        "by the day on which the list was last compared, so that a file is judged the same on every day."
    ),
    remedy="write a runtime with support, such as python3.13",
    source="https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html",
    bad="""\
Resources:
  Lookup:
    Type: AWS::Lambda::Function
    Properties: {Runtime: python3.8, Handler: index.handler}
""",
    good="""\
Resources:
  Lookup:
    Type: AWS::Lambda::Function
    Properties: {Runtime: python3.13, Handler: index.handler}
""",
    check=check,
)

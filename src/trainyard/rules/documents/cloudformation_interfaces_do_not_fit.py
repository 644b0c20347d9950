"""Network interfaces that EC2 refuses on their instance type, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.interfaces import Interface, misfits
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import EFA_KINDS, interface_lists
from trainyard.rules.cloudformation.template import number


def check(document: Document) -> Iterator[Problem]:
    """Yield lists of interfaces that do not fit the one type that they are for, as far as the catalog knows it."""
    for _, path, listed, facts in interface_lists(document):
        planned = [interface for interface in map(_interface, listed) if interface is not None]
        if facts is None or facts.cards is None or facts.efa_interfaces is None or len(planned) < len(listed):
            continue
        if reasons := misfits(facts, planned):
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            yield Problem(path, f"{facts.name} does not take these interfaces: {reasons[0]}{more}")


def _interface(written: Mapping[str, Any]) -> Interface | None:
    card, device = number(written.get("NetworkCardIndex", 0)), number(written["DeviceIndex"])
    kind = written.get("InterfaceType", "interface")
    if card is None or device is None or kind not in ("interface", *EFA_KINDS):
        return None
    return Interface(int(card), int(device), kind)


RULE = DocumentRule(
    severity="error",
    title="Network interfaces that do not fit the type",
    rationale=(
        "Every family has its own layout of cards: how many there are, how many interfaces each holds, which take EFA. "
        "EC2 refuses to launch with others, and a job on Batch then waits as RUNNABLE."
    ),
    remedy="take the interfaces that `trainyard instances TYPE` shows",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: g5.8xlarge
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa}
          - {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: efa}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: g5.8xlarge
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa}
""",
    check=check,
)

"""The questions that are asked before anything is made, as the first step of a deployment."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.deploy.preflight_runner import run_preflights
from trainyard.deploy.preflights import PreflightContext
from trainyard.deploy.programs import DeploymentPrograms
from trainyard.deploy.work import Work
from trainyard.document.node import Document
from trainyard.edge.aws.stacks import StackState, all_stacks
from trainyard.finding import Finding
from trainyard.render.tags import CLUSTER, ENVIRONMENT


def known_outputs(work: Work) -> dict[str, str]:
    """Return what stacks of an earlier deployment, and of the environment, have made."""
    return outputs_of(work, all_stacks(work.account))


def outputs_of(work: Work, stacks: Sequence[StackState]) -> dict[str, str]:
    """Return the outputs of those of an account's stacks that are the environment's or its own, which win."""
    own = stacks_of_spec(work, stacks)
    return {key: value for stack in own if stack.usable for key, value in stack.outputs.items()}


def stacks_of_spec(work: Work, stacks: Sequence[StackState]) -> list[StackState]:
    """Return those of an account's stacks that are the environment's, and then its own."""
    environment = work.required_spec().environment
    shared = [
        stack
        for stack in stacks
        if environment is not None and stack.tags.get(ENVIRONMENT) == environment and CLUSTER not in stack.tags
    ]
    return [*shared, *(stack for stack in stacks if work.owns(stack.tags))]


def preflight_findings(work: Work, document: Document | None) -> tuple[Finding, ...]:
    """Return what the account says against the spec, with places in the document that the spec was read from."""
    work.step = "preflights"
    work.tell("questions to the account", "start")
    context = PreflightContext(
        work.required_spec(),
        work.account,
        known_outputs(work),
        document,
        creates_key_pair=work.options.create_key_pair is not None,
        recreates=work.options.recreate,
        replaces=work.options.replaces,
        waits_for_capacity_s=work.options.wait_for_capacity_s,
        asset_lock=work.lock,
        programs=DeploymentPrograms(work.eksctl, work.kubectl, work.options.kubeconfig),
    )
    findings = run_preflights(context, work.tell)
    bad = any(finding.severity == "error" for finding in findings)
    work.tell(findings[0].message if bad else "nothing stands in the way", "failed" if bad else "done")
    return findings

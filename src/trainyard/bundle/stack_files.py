"""The files of a bundle that make stacks: templates as they are, and the parameters beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trainyard.render.cloudformation.stack import Stack


def stack_files(stacks: Sequence[Stack]) -> dict[str, str]:
    """Return the texts of all files by name."""
    files = {}
    for stack in stacks:
        files[stack.template_file] = stack.template
        files[stack.parameters_file] = json.dumps(parameters_list(stack), indent=2, ensure_ascii=False) + "\n"
    return files


def parameters_list(stack: Stack) -> list[dict[str, str]]:
    """Return the parameters in the form that `aws cloudformation create-stack` reads.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Parameter.html
    """
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in stack.parameters.items()]

"""The architecture of an instance type's processor: from the catalog's facts, else from the name that EC2 gave it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from trainyard.catalog.instances import find

Architecture = Literal["x86_64", "arm64"]

# Series, generation, options and what follows a hyphen: the letters of the processor stand among the options, so that
# c7gn has a g and g4dn and g6e have none.
# https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
_NAME = re.compile(r"(?P<series>[a-z]+)(?P<generation>[0-9]+)(?P<options>[a-z]*)(-(?P<suffix>[a-z0-9]+))?\.[a-z0-9-]+")
# g is Graviton, a is AMD, i is Intel; what names no processor has one of Intel's or AMD's, as m5, t3, p5 and g6e have.
_OF_LETTER: Mapping[str, Architecture] = {"g": "arm64", "a": "x86_64", "i": "x86_64"}
# Those that do not keep to it: a Mac has either, https://aws.amazon.com/ec2/instance-types/mac/, and of Trn3's hosts
# nothing is known, https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/trn3-arch.html
_SILENT = re.compile("mac[0-9]+|trn3")
# The only Graviton without the letter: https://aws.amazon.com/ec2/instance-types/a1/
_FIRST_GRAVITON = "a1"
# GB200 and GB300 have NVIDIA's Grace, which is an Arm processor: https://aws.amazon.com/ec2/instance-types/p6/
_GRACE = "gb"


def architecture_of(instance_type: str) -> Architecture | None:
    """Return the architecture of a type, None where neither facts nor its name tell it."""
    facts = find(instance_type)
    if facts is not None and facts.architecture is not None:
        return facts.architecture
    return architecture_in_name(instance_type)


def architecture_in_name(instance_type: str) -> Architecture | None:
    """Return what the name of a type says about its architecture, None where it says nothing."""
    parts = _NAME.fullmatch(instance_type)
    if parts is None:
        return None
    if parts["series"] + parts["generation"] + parts["options"] == _FIRST_GRAVITON:
        return "arm64"
    if (parts["suffix"] or "").startswith(_GRACE):
        return "arm64"
    if _SILENT.fullmatch(parts["series"] + parts["generation"]):
        return None
    return next((_OF_LETTER[letter] for letter in parts["options"] if letter in _OF_LETTER), "x86_64")

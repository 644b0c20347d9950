"""What CloudFormation knows of resources in stacks; tools/cloudformation_keys.py writes the data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog.catalog_file import FOLDER, json_content
from trainyard.catalog.eksctl_keys import Shape

PATH = FOLDER / "cloudformation_keys.json"


@cache
def cloudformation_kinds() -> Mapping[str, Mapping[str, Shape]]:
    """Return the properties of each type of resource, and of each mapping in them, with their shapes."""
    kinds: Mapping[str, Mapping[str, Shape]] = json_content(PATH)["kinds"]
    return kinds

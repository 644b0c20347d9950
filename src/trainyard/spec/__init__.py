"""The spec: what a user writes, exactly as it was written. Whether it makes sense is for the rules to say."""

from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import ParsedSpec, parse

__all__ = ["ParsedSpec", "Spec", "parse"]

"""The reference architectures."""

from trainyard.architectures import Architecture
from trainyard.architectures import all_architectures as reference_architectures

__all__ = ["Architecture", "reference_architectures"]

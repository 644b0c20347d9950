"""The reference architectures."""

from trainyard.architectures import Architecture
from trainyard.architectures import all_architectures as architectures

__all__ = ["Architecture", "architectures"]

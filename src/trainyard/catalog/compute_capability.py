"""What NVIDIA calls the generation of a GPU, as compilers want it: 90 for compute capability 9.0."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import Text

ComputeCapability = Annotated[str, Text(r"^[1-9][0-9]{1,2}$", "a compute capability without its dot, such as 90")]

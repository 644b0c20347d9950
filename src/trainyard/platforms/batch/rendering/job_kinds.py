"""What the job definitions of a cluster run, as people name it, and the outputs of batch.yaml that name them."""

from __future__ import annotations

OUTPUTS = {
    "stress-ng": "StressJobDefinition",
    "nccl": "NcclJobDefinition",
    "torchrun": "TorchrunJobDefinition",
}
"""Further queues have their number behind it."""

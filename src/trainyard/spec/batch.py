"""What only AWS Batch has."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Count, Positive, Text, Whole
from trainyard.record import Record
from trainyard.spec.overlay import Overlay
from trainyard.spec.text import IamPolicyArn

# https://docs.aws.amazon.com/batch/latest/APIReference/API_ContainerProperties.html: up to 255 characters. Without a
# tag it would be latest, which is another image tomorrow.
ContainerImage = Annotated[
    str,
    Text(
        r"^[a-z0-9]+([.-][a-z0-9]+)*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
        r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|@sha256:[0-9a-f]{64})$",
        "an image with a tag or a digest such as public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2",
        longest=255,
    ),
]
# https://docs.aws.amazon.com/batch/latest/APIReference/API_RetryStrategy.html
Attempts = Annotated[int, Whole("1 to 10, as a whole number", least=1, most=10)]


class Batch(Record):
    """AWS Batch and its job definitions."""

    stress_image: ContainerImage | None = None
    """Image with stress-ng for the smoke test. By default the cluster's own registry with the tag stress-ng."""
    nccl_image: ContainerImage | None = None
    """Image with nccl-tests, Open MPI, an SSH server and Python 3. By default AWS's own."""
    pytorch_image: ContainerImage | None = None
    """Image for torchrun. By default the cluster's own registry with the tag pytorch."""
    shared_memory_gib: Positive | None = None
    """Size of /dev/shm in containers, in GiB. By default a tenth of the node's memory."""
    huge_pages: Count | None = None
    """Huge pages of 2 MiB that nodes set aside. By default 5128 with EFA, as its installer does, otherwise none."""
    job_policies: tuple[IamPolicyArn, ...] = ()
    """Policies of what runs in containers, such as one that reads a data set. By default jobs may do nothing in AWS."""
    job_attempts: Attempts = 1
    """How often a job is tried. Each attempt begins anew, so training has to resume from its checkpoints."""
    container_insights: Literal["none", "standard", "enhanced"] = "standard"
    """CloudWatch's metrics of compute environments and, with enhanced, of containers. They are charged."""
    overlay: Overlay = {}
    """Keys of the stack's resources that the spec does not have, by the logical ids of its template, as CloudFormation
    writes them. They are merged last; entries of lists that are not there come after those that are. A key that the
    spec decides is refused here."""

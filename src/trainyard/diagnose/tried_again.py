"""What programs say when something failed that they go on trying."""

from __future__ import annotations

import re

# Chef, Slurm, curl, dnf, apt, NCCL, botocore, Kubernetes and scripts.
_TRIED_AGAIN = re.compile(
    r"\b[Rr]etry(?:ing)?\b|\bretries\b|attempts? (?:left|remaining)|[Tt]rying again|[Tt]rying (?:other|next) mirror"
    r"|try again|\battempt [0-9]+(?:/| of )[0-9]+"
)
# They say that no more of it is left.
_GIVEN_UP = re.compile(
    r"\b0 (?:retries|attempts) (?:left|remaining)|\b(?:gave|giving) up\b|\bno more (?:retries|attempts)"
    r"|exceeded .{0,20}retr|retr(?:y|ies) .{0,20}exceeded|\bmax(?:imum)? .{0,20}(?:retries|attempts)"
    r"|\bafter (?:[0-9]+|all|several) (?:retries|attempts)",
    re.IGNORECASE,
)


def is_tried_again(text: str) -> bool:
    """Return whether a line of a failure, with what stands directly behind it, says that it is not the end of it."""
    return bool(_TRIED_AGAIN.search(text)) and not _GIVEN_UP.search(text)

"""What programs say when something failed that they go on trying."""

from __future__ import annotations

import re

# Chef, Slurm, curl, dnf, apt, NCCL, botocore, Kubernetes and scripts.
_TRIED_AGAIN = re.compile(
    r"\b[Rr]etry(?:ing)?\b|\bretries\b|attempts? (?:left|remaining)|[Tt]rying again|[Tt]rying (?:other|next) mirror"
    r"|try again|\b[Aa]ttempt [0-9]+(?:/| of )[0-9]+"
)
# They say that no more of it is left.
_GIVEN_UP = re.compile(
    r"\b0 (?:retries|attempts) (?:left|remaining)|\b(?:gave|giving) up\b|\b(?:no more|out of) (?:retries|attempts)"
    r"|exceeded .{0,20}retr|retr(?:y|ies) .{0,20}(?:exceeded|exhausted|reached)|\bretr(?:y|ies) limit"
    r"|\b(?:not|never|cannot|can't|won't) (?:be )?retr|\bno retr|\bretries: 0"
    r"|\bafter (?:[0-9]+|all) (?:retries|attempts)|\bmax(?:imum)? (?:number of )?(?:retries|attempts)",
    re.IGNORECASE,
)
# The last one of so many.
_COUNTED = re.compile(r"\battempt ([0-9]{1,9})(?:/| of )([0-9]{1,9})", re.IGNORECASE)
# People are told so, too, when a program will not do it by itself.
_BY_ITSELF = re.compile(
    r"\b[Rr]etrying\b|\b(?:will|to) retry\b|\b[Rr]etry(?:ing)? in\b|attempts? (?:left|remaining)|[Tt]rying again"
    r"|\b[Aa]ttempt [0-9]+(?:/| of )[0-9]+"
)


def is_tried_again(text: str, *, by_itself: bool = False) -> bool:
    """Return whether a line of a failure, with what stands directly behind it, says that it is not the end of it.

    by_itself: only where the program says that it does so, and not where it may mean somebody else.
    """
    said = (_BY_ITSELF if by_itself else _TRIED_AGAIN).search(text)
    is_last = any(int(count) >= int(most) for count, most in _COUNTED.findall(text))
    return bool(said) and not is_last and not _GIVEN_UP.search(text)

"""A text as a filter pattern of Amazon CloudWatch Logs, where its language can say it."""

from __future__ import annotations

import re

# What a regular expression between percent signs may hold, and what in it means something. A plain term finds whole
# words only, an expression finds parts of words too, as grep does. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/regex-expressions.html
_PLAIN = re.compile(r"[A-Za-z0-9:_#=@/;,\- ]+")
_SPACE = r"\s"


def pattern_of(text: str) -> str | None:
    """Return the pattern that finds every event in which a text occurs; None where CloudWatch cannot look for it.

    It may find more, so that whoever asks looks once more himself.
    """
    if not _PLAIN.fullmatch(text):
        return None
    return f"%{text.replace(' ', _SPACE)}%"

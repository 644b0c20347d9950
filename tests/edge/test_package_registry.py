"""What package registries answer, and what is no answer."""

from __future__ import annotations

import json

import pytest

from trainyard.edge.downloads import Downloader
from trainyard.edge.package_registry import PackageRegistries
from trainyard.errors import TrainyardError


class StoredAnswers(Downloader):
    """Gives answers by their addresses."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        super().__init__()
        object.__setattr__(self, "answers", answers)

    def content(self, url: str, most_bytes: int) -> bytes:
        """Return the answer."""
        answer: bytes = self.__dict__["answers"][url]
        assert len(answer) <= most_bytes
        return answer


def newest(answer: bytes) -> str:
    answers = StoredAnswers({"https://pypi.org/pypi/some-package/json": answer})
    return PackageRegistries(answers).newest_version("pypi", "some-package")


def test_the_newest_version_is_no_pre_release():
    assert newest(json.dumps({"info": {"version": "3.16.3"}, "releases": {"4.0.0rc1": []}}).encode()) == "3.16.3"


@pytest.mark.parametrize("answer", [b"", b"<html>", b"[]", b"null", b"{}", b'{"info": {}}', b'{"info": []}'])
def test_an_answer_without_a_version_is_an_error_that_names_the_address(answer):
    with pytest.raises(TrainyardError, match="some-package/json has no version"):
        newest(answer)

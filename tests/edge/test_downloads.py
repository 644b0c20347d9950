"""Downloads from a publisher that does everything wrong that publishers and networks do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.edge.publisher import Fault, certificate, publishing
from trainyard.edge.downloads import Downloader
from trainyard.edge.http_client import HttpClient, RetryPolicy
from trainyard.errors import TrainyardError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
CONTENT = bytes(range(256)) * 8192
PATH = "/docker-29.4.0.tgz"


def http(attempts: int = 5, timeout_s: float = 5.0) -> HttpClient:
    """Return a client that makes no pauses."""
    return HttpClient(timeout_s=timeout_s, retry=RetryPolicy(attempts, first_pause_s=0.0))


@pytest.fixture
def publisher():
    with publishing() as made:
        made.files[PATH] = CONTENT
        yield made


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def downloader(said):
    return Downloader(said.append, schemes=frozenset({"http"}), http=http())


@pytest.fixture
def part(tmp_path):
    return tmp_path / "file.part"


def test_a_file_comes_whole(publisher, downloader, part):
    assert downloader.file(publisher.url(PATH), part) is False
    assert part.read_bytes() == CONTENT


def test_plain_http_is_refused_unless_a_test_allows_it(publisher, part):
    with pytest.raises(TrainyardError, match="is not https"):
        Downloader().file(publisher.url(PATH), part)
    assert publisher.requests == []


def test_a_connection_that_ends_early_goes_on_where_it_stopped(publisher, downloader, said, part):
    publisher.faults[PATH] = [Fault(only_bytes=1_500_000)]
    assert downloader.file(publisher.url(PATH), part) is True
    assert part.read_bytes() == CONTENT
    assert publisher.requests == [(PATH, None), (PATH, "bytes=1500000-")]
    assert said == ["the connection ended after 1,500,000 of 2,097,152 bytes; tries again in 0 s"]


def test_a_call_that_was_killed_is_gone_on_with_by_the_next(publisher, downloader, part):
    publisher.faults[PATH] = [Fault(only_bytes=10)]
    with pytest.raises(TrainyardError):
        replace(downloader, http=http(attempts=1)).file(publisher.url(PATH), part)
    assert part.read_bytes() == CONTENT[:10]
    assert downloader.file(publisher.url(PATH), part) is True
    assert part.read_bytes() == CONTENT


def test_a_file_that_has_changed_meanwhile_begins_anew(publisher, downloader, part):
    publisher.faults[PATH] = [Fault(only_bytes=10)]
    with pytest.raises(TrainyardError):
        replace(downloader, http=http(attempts=1)).file(publisher.url(PATH), part)
    publisher.files[PATH] = CONTENT[::-1]
    assert downloader.file(publisher.url(PATH), part) is False
    assert part.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("tag", ["none", "weak"])
def test_without_a_tag_that_tells_bytes_apart_nothing_is_resumed(publisher, downloader, part, tag):
    publisher.tagged, publisher.weakly = tag != "none", tag == "weak"
    publisher.faults[PATH] = [Fault(only_bytes=10)]
    assert downloader.file(publisher.url(PATH), part) is False
    assert publisher.requests == [(PATH, None), (PATH, None)]
    assert part.read_bytes() == CONTENT


def test_a_part_that_is_longer_than_the_file_begins_anew(publisher, downloader, part):
    part.write_bytes(CONTENT + b"more")
    part.with_suffix(".validator").write_text(publisher.etag(PATH))
    assert downloader.file(publisher.url(PATH), part) is False
    assert part.read_bytes() == CONTENT


def test_a_part_that_was_not_asked_for_is_not_taken(publisher, downloader, part):
    publisher.faults[PATH] = [Fault(part_from=7)]
    assert downloader.file(publisher.url(PATH), part) is False
    assert part.read_bytes() == CONTENT


def test_a_length_that_is_too_long_never_makes_a_whole_file(publisher, downloader, part):
    publisher.faults[PATH] = [Fault(claims_bytes=len(CONTENT) + 1)] * 5
    publisher.tagged = False
    with pytest.raises(TrainyardError, match="in 5 attempts: the connection ended after"):
        downloader.file(publisher.url(PATH), part)


@pytest.mark.parametrize("fault", [Fault(chunked=True), Fault(chunked=True, only_bytes=100)], ids=["whole", "cut"])
def test_chunks_are_taken_only_to_their_end(publisher, downloader, part, fault):
    publisher.faults[PATH] = [fault]
    downloader.file(publisher.url(PATH), part)
    assert part.read_bytes() == CONTENT
    assert len(publisher.requests) == (1 if fault.only_bytes is None else 2)


@pytest.mark.parametrize("fault", [Fault(claims_length=False), Fault(claims_bytes="many"), Fault(claims_bytes=-5)])
def test_a_server_that_tells_no_length_is_not_believed(publisher, downloader, part, fault):
    publisher.faults[PATH] = [fault] * 5
    with pytest.raises(TrainyardError, match="does not say how long the file is"):
        downloader.file(publisher.url(PATH), part)


@pytest.mark.parametrize("status", [403, 404, 410])
def test_what_is_not_there_or_forbidden_is_asked_for_once(publisher, downloader, part, status):
    publisher.faults[PATH] = [Fault(status)]
    with pytest.raises(TrainyardError, match=rf"could not download .*: 127.0.0.1 says {status} ") as caught:
        downloader.file(publisher.url(PATH), part)
    assert caught.value.where == publisher.url(PATH)
    assert len(publisher.requests) == 1
    assert not part.exists()


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_that_is_busy_is_asked_again(publisher, downloader, said, part, status):
    publisher.faults[PATH] = [Fault(status), Fault(status)]
    downloader.file(publisher.url(PATH), part)
    assert part.read_bytes() == CONTENT
    assert len(said) == 2


def test_pauses_grow_and_attempts_end(publisher, downloader, part):
    paused: list[float] = []
    publisher.faults[PATH] = [Fault(500)] * 9
    with pytest.raises(TrainyardError, match=r"in 5 attempts: 127.0.0.1 says 500"):
        replace(downloader, http=HttpClient(sleep=paused.append)).file(publisher.url(PATH), part)
    assert paused == [1.0, 2.0, 4.0, 8.0]


def test_a_server_that_says_nothing_is_given_up(publisher, downloader, part):
    publisher.faults[PATH] = [Fault(silent=True)] * 2
    with pytest.raises(TrainyardError, match="did not answer in time"):
        replace(downloader, http=http(attempts=2, timeout_s=0.2)).file(publisher.url(PATH), part)


def test_nobody_who_listens_is_one_clear_line(downloader, part):
    with publishing() as gone:
        url = gone.url(PATH)
    with pytest.raises(TrainyardError, match=r"no connection: .*refused") as caught:
        replace(downloader, http=http(attempts=2)).file(url, part)
    assert "HTTPS_PROXY" in (caught.value.hint or "")


@pytest.mark.parametrize("fault", [Fault(), Fault(chunked=True)], ids=["told", "untold"])
def test_a_file_beyond_the_limit_is_refused(publisher, downloader, part, fault):
    publisher.faults[PATH] = [fault]
    with pytest.raises(TrainyardError, match=r"is larger than 1.0 MB"):
        replace(downloader, most_bytes=1_000_000).file(publisher.url(PATH), part)
    assert len(publisher.requests) == 1


def test_progress_is_told(publisher, downloader, said, part):
    ticks = iter(range(0, 1000, 10))
    replace(downloader, clock=lambda: next(ticks)).file(publisher.url(PATH), part)
    assert said == ["file.part: 1.0 MB of 2.1 MB", "file.part: 2.1 MB of 2.1 MB"]


def test_a_small_file_is_bounded_and_tried_again_too(publisher, downloader):
    publisher.files["/sums"] = b"x" * 100
    publisher.faults["/sums"] = [Fault(only_bytes=50)]
    assert downloader.content(publisher.url("/sums"), 100) == b"x" * 100
    with pytest.raises(TrainyardError, match="is larger than"):
        downloader.content(publisher.url("/sums"), 99)


@pytest.mark.parametrize("to", ["https://[bad", "ftp://127.0.0.1/x", "file:///etc/passwd", "//"])
def test_a_redirect_that_leads_nowhere_good_is_one_clear_line(publisher, downloader, part, to):
    publisher.faults["/latest"] = [Fault(302, to=to)] * 5
    with pytest.raises(TrainyardError, match="could not download"):
        downloader.file(publisher.url("/latest"), part)
    assert not part.exists()


def test_a_redirect_is_followed(publisher, downloader, part):
    publisher.faults["/latest"] = [Fault(302, to=publisher.url(PATH))]
    downloader.file(publisher.url("/latest"), part)
    assert part.read_bytes() == CONTENT


def test_the_proxy_of_the_environment_is_used(publisher, said, part, monkeypatch):
    monkeypatch.setenv("http_proxy", publisher.base)
    monkeypatch.delenv("no_proxy", raising=False)
    publisher.files["http://downloads.invalid/file"] = CONTENT
    through = Downloader(said.append, schemes=frozenset({"http"}), http=http(attempts=1))
    through.file("http://downloads.invalid/file", part)
    assert part.read_bytes() == CONTENT


@pytest.fixture
def https(tmp_path):
    with publishing(certificate(tmp_path)) as made:
        made.files[PATH] = CONTENT
        yield made


@pytest.fixture
def trusting(tmp_path, https, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    return Downloader(http=http())


def test_https_is_used_with_the_certificates_that_the_environment_names(https, trusting, part):
    trusting.file(https.url(PATH), part)
    assert part.read_bytes() == CONTENT


def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(https, part):
    with pytest.raises(TrainyardError, match="the certificate is not accepted: self-signed certificate"):
        Downloader(http=http()).file(https.url(PATH), part)
    assert https.requests == []


def test_a_redirect_from_https_to_http_is_refused(publisher, https, trusting, part):
    https.faults[PATH] = [Fault(302, to=publisher.url(PATH))]
    with pytest.raises(TrainyardError, match=r"leads to http://.*, which is not https"):
        trusting.file(https.url(PATH), part)
    assert publisher.requests == []

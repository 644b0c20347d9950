"""What identifies anybody gets another name, the same one everywhere, and the rest of a line stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.diagnose.redaction import Redaction

HEX = "0123456789abcdef"


def redacted(text: str) -> str:
    told: str = Redaction().values(text)
    return told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stream ip-10-0-27-34.i-02b054fb6149dfb15.cfn-init", "stream host-1.instance-1.cfn-init"),
        ("ip-10-0-27-34.us-east-2.compute.internal is 10.0.27.34", "host-1 is address-1"),
        ("Call to recv from 10.26.146.188<48387> failed", "Call to recv from address-1<48387> failed"),
        ("node gpu-st-p5-1(10.0.3.17) in replacement", "node gpu-st-p5-1(address-1) in replacement"),
        (
            "User: arn:aws:sts::111122223333:assumed-role/my-role/i-0b994bfcd339719b6 is not authorized",
            "User: arn:aws:sts::account-1:assumed-role/name-1/instance-1 is not authorized",
        ),
        ("arn:aws:s3:::my-data/train/*", "arn:aws:s3:::name-1/name-2/*"),
        ("s3://my-data/setup.sh, bucket my-data", "s3://bucket-1/setup.sh, bucket bucket-1"),
        ("arn:aws:s3:::my-data/a and s3://my-data", "arn:aws:s3:::bucket-1/name-1 and s3://bucket-1"),
        ("https://my-data.s3.us-east-1.amazonaws.com/a", "https://bucket-1.s3.us-east-1.amazonaws.com/a"),
        ("111122223333.dkr.ecr.us-east-1.amazonaws.com/train", "account-1.dkr.ecr.us-east-1.amazonaws.com/train"),
        ("AKIAIOSFODNN7EXAMPLE", "access-key-1"),
        ("AWS_SECRET_ACCESS_KEY=abcd/efgh+1", "AWS_SECRET_ACCESS_KEY=secret-1"),
        ('{"password": "hunter", "n": 2}', '{"password": "secret-1", "n": 2}'),
        (r'{\"SessionToken\": \"IQoJb3JpZ2lu\"}', r'{\"SessionToken\": \"secret-1\"}'),
        ("?X-Amz-Expires=60&X-Amz-Signature=0fa1&x=1", "?X-Amz-Expires=60&X-Amz-Signature=secret-1&x=1"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer secret-1"),
        ("HF hf_abcdefghijklmnopqrstuvwxyz", "HF secret-1"),
        ("https://jane:pw@git.example.com/x", "https://login-1@site-1/x"),
        ("mail jane.doe@example.com", "mail person-1"),
        ('File "/home/jane/train.py", line 3', 'File "/home/user-1/train.py", line 3'),
        ("fs-0df1a6d6e2c3ed742.fsx.us-east-1.amazonaws.com@tcp:/x", "fs-1.fsx.us-east-1.amazonaws.com@tcp:/x"),
        ("GPU-865fda94-7f58-4fdb-a206-e0cb21bbc6fa", "GPU-uuid-1"),
        ("from 2001:db8::17 port 22", "from address-1 port 22"),
        ("link 0a:1b:2c:3d:4e:5f up", "link mac-1 up"),
        ("db.cluster-c1x2.us-east-1.rds.amazonaws.com:3306", "endpoint-1.us-east-1.rds.amazonaws.com:3306"),
    ],
)  # fmt: skip
def test_identifiers_are_replaced(line, expected):
    assert redacted(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Mar 21 14:16:48 kernel: [ 8412.117203] NVRM: Xid (PCI:0000:a8:00): 79, pid='<unknown>', GPU has fallen off",
        "WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=301989888, Timeout(ms)=600000) ran for 600004 milliseconds",
        "2025-03-21T14:27:08.408271257Z misc/socket.cc:518 NCCL WARN Net : Call to recv failed : Broken pipe",
        "error: Munge decode failed: Invalid credential",
        "auth error: token: expired",
        '{"message":"Missing Authentication Token"}',
        "mlcluster-logs-202507020800/cloudwatch-logs/x.log",
        "connect to 169.254.169.254 and 127.0.0.1 and ::1 failed",
        "/home/ubuntu/x, /opt/parallelcluster/shared, /fsx/data",
        "std::runtime_error in at::native::copy_ NVIDIA driver 535.183.01, CUDA 12.4, libfabric 1.22.0amzn1.0",
        "InsufficientInstanceCapacity - We currently do not have sufficient p5.48xlarge capacity in us-east-1d",
    ],
)
def test_what_identifies_nobody_stays(line):
    assert redacted(line) == line


def test_the_same_identifier_has_the_same_name_everywhere():
    lines = ["i-0b994bfcd339719b6 and i-02b054fb6149dfb15", {"x/ip-10-0-0-1.i-02b054fb6149dfb15.log": "10.0.0.1"}]
    assert Redaction().values(lines) == ["instance-1 and instance-2", {"x/host-1.instance-2.log": "address-1"}]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("user=alice logged; alice logged in; alice(1001)", "user=user-1 logged; user-1 logged in; user-1(1001)"),
        (
            "https://bob:pw1@git.corp.example.com/x failed: git.corp.example.com refused bob",
            "https://login-1@site-1/x failed: site-1 refused user-1",
        ),
        ("Serial Number : 1653023012345, board 1653023012345", "Serial Number : serial-1, board serial-1"),
        ("https://docs.nvidia.com/x and http://localhost:8080", "https://docs.nvidia.com/x and http://localhost:8080"),
        ("user=root root is not user: the", "user=root root is not user: user-1"),
    ],
)
def test_a_name_once_recognised_is_replaced_wherever_it_stands(line, expected):
    assert redacted(line) == expected


def test_a_name_is_replaced_in_texts_that_come_before_the_one_that_tells_it():
    assert Redaction().values(["alice was here, malice not", "/home/alice/x"]) == [
        "user-1 was here, malice not",
        "/home/user-1/x",
    ]


def test_what_is_kept_stays_as_it_is():
    assert Redaction().values({"remedy": "ask 10.0.0.1", "text": "ask 10.0.0.1"}, kept_keys={"remedy"}) == {
        "remedy": "ask 10.0.0.1",
        "text": "ask address-1",
    }


def test_numbers_and_nothing_are_no_text():
    assert Redaction().values([1, None, True, 2.5]) == [1, None, True, 2.5]


def around(identifiers: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, str]]:
    edge = st.sampled_from(["", " ", "(", ")", '"', "'", "=", ",", "<", "\t", "[", "]", ";"])
    words = st.text(st.sampled_from("abc xyz:"), max_size=20)
    return st.tuples(words, edge, identifiers, edge, words).map(
        lambda parts: (f"{parts[0]} {parts[1]}{parts[2]}{parts[3]} {parts[4]}", parts[2])
    )


ADDRESS = st.tuples(*[st.integers(1, 223)] + [st.integers(0, 255)] * 3).filter(
    lambda parts: parts[0] != 127 and parts[:2] != (169, 254)
)
IDENTIFIERS = {
    "addresses": ADDRESS.map(lambda parts: ".".join(map(str, parts))),
    "hosts": ADDRESS.map(lambda parts: "ip-" + "-".join(map(str, parts))),
    "instances": st.text(HEX, min_size=17, max_size=17).map("i-{}".format),
    "resources": st.tuples(st.sampled_from(["vpc", "sg", "subnet", "fs", "cr"]), st.text(HEX, min_size=17, max_size=17))
    .map("-".join),
    "accounts": st.from_regex(r"[3-9][0-9]{11}", fullmatch=True),
    "access keys": st.from_regex(r"(?:AKIA|ASIA)[A-Z2-7]{16}", fullmatch=True),
    "people": st.from_regex(r"[a-z]{3,8}\.[a-z]{3,8}@[a-z]{3,9}\.(?:com|org)", fullmatch=True),
    "buckets": st.from_regex(r"s3://[a-z]{3}[a-z0-9-]{6,20}[a-z]", fullmatch=True),
    "users": st.from_regex(r"/home/[a-z]{3,8}[0-9]", fullmatch=True),
    "uuids": st.uuids().map(str),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(IDENTIFIERS))
def test_no_identifier_is_left_wherever_it_stands(kind):
    @given(around(IDENTIFIERS[kind]))
    def check(made):
        text, identifier = made
        assert identifier not in redacted(text)

    check()


@given(st.text())
def test_any_text_can_be_redacted(text):
    assert isinstance(redacted(text), str)


REPEATED = ("a", "a.", "a@", "0:", "1.", "arn:aws:", "s3://a", "token=", "ip-10-", "://", "password : ", "A1b/")


@pytest.mark.parametrize(
    "line",
    [one * (100_000 // len(one)) for one in REPEATED],
    ids=[one.strip() for one in REPEATED],
)
def test_no_line_makes_it_slow(line):
    begun = time.process_time()
    redacted(line)
    assert time.process_time() - begun < 5

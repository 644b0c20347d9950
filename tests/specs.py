"""Specs for tests: whole ones from parts, and generated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from trainyard.document.write import yaml_text
from trainyard.rules import example_spec
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec


def spec_of(part: str = "") -> Spec:
    """Return a spec of which only a part is written out."""
    return parse(example_spec(part), "cluster.yaml").spec


def _id(prefix: str) -> st.SearchStrategy[str]:
    return st.text("0123456789abcdef", min_size=17, max_size=17).map(lambda digits: f"{prefix}-{digits}")


NAMES = st.text("abcxyz0-", max_size=12).map(lambda rest: f"q{rest}")
TYPES = st.sampled_from(
    ["p5.48xlarge", "p4de.24xlarge", "p6-b300.48xlarge", "trn1.32xlarge", "g5.xlarge", "p9.unknown"]
)
ARN = "arn:aws:resource-groups:us-east-2:123456789012:group/g"
CAPACITY = st.one_of(
    st.sampled_from(["on-demand", "spot"]),
    _id("cr").map(lambda id_: {"reservation": id_}),
    _id("cr").map(lambda id_: {"capacity_block": id_}),
    st.just({"reservation_group": ARN}),
)
NODES = st.one_of(st.integers(1, 1000), st.integers(0, 9).flatmap(lambda low: st.just({"min": low, "max": low + 1})))
ONE_KIND_OF_NODES: dict[str, st.SearchStrategy[Any]] = {
    "nodes": NODES,
    "capacity": CAPACITY,
    "efa": st.sampled_from([None, True, False]),
    "placement_group": st.sampled_from([None, True, False]),
}
QUEUE_REST: dict[str, st.SearchStrategy[Any]] = {
    "availability_zone": st.sampled_from([None, "us-east-2a", ["us-east-2a", "us-east-2b"]]),
    "subnet": st.one_of(st.sampled_from(["private", "public"]), _id("subnet")),
    "ami": st.one_of(st.none(), _id("ami")),
    "root_volume": st.fixed_dictionaries({"size_gib": st.integers(40, 16000)}),
    "setup": st.sampled_from([None, "gpu", "cpu", "neuron", "none"]),
}
FLAT = st.fixed_dictionaries({"instance_type": TYPES}, optional=ONE_KIND_OF_NODES | QUEUE_REST)
LONG = st.fixed_dictionaries(
    {
        "compute_resources": st.lists(
            st.fixed_dictionaries({"instance_type": TYPES}, optional=ONE_KIND_OF_NODES), min_size=1, max_size=3
        )
    },
    optional=QUEUE_REST,
)
FILE_SYSTEM_KINDS = st.one_of(
    st.fixed_dictionaries({"lustre": st.one_of(
        _id("fs").map(lambda id_: {"id": id_}),
        st.just({"size_gib": 4800, "throughput_mb_s_per_tib": 250, "data_repository": "s3://data/sets"}),
    )}),
    st.one_of(_id("fsvol").map(lambda id_: {"id": id_}), st.just({"size_gib": 512})).map(lambda one: {"openzfs": one}),
    st.one_of(_id("vol").map(lambda id_: {"id": id_}), st.just({"size_gib": 200})).map(lambda one: {"ebs": one}),
)  # fmt: skip
EXISTING = st.fixed_dictionaries(
    {
        "vpc": _id("vpc"),
        "private_subnets": st.lists(_id("subnet"), min_size=1, max_size=2),
        "public_subnets": st.lists(_id("subnet"), min_size=1, max_size=2),
    },
    optional={"security_groups": st.lists(_id("sg"), max_size=2)},
)


@st.composite
def spec_texts(draw: st.DrawFn) -> str:
    """Draw the text of a spec for ParallelCluster: any combination of what can be written."""
    queues: list[dict[str, Any]] = [
        {"name": name, **draw(st.one_of(FLAT, LONG))}
        for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    ]
    mounts = draw(st.lists(st.sampled_from(["/fsx", "/apps", "/home", "/data"]), max_size=3, unique=True))
    optional = {
        "network": st.fixed_dictionaries(
            {}, optional={"existing": EXISTING, "availability_zone": st.just("us-east-2a"), "internet": st.just("none")}
        ),
        "access": st.fixed_dictionaries(
            {},
            optional={
                "ssh_key": st.sampled_from(["key", "my key"]),
                "allow_from": st.sampled_from([[], ["203.0.113.7/32"], ["203.0.113.7/32", "198.51.100.0/24"]]),
            },
        ),
        "iam": st.sampled_from(
            [{"permissions_boundary": "arn:aws:iam::123456789012:policy/b", "resource_prefix": "/team/ml-"}]
        ),
        "head_node": st.fixed_dictionaries({}, optional={"subnet": st.just("private")}),
        "login_nodes": st.fixed_dictionaries({}, optional={"count": st.integers(0, 3), "subnet": st.just("private")}),
        "image": st.sampled_from([{"os": "ubuntu2404"}, {"os": "alinux2023", "ami": "ami-0123456789abcdef0"}]),
        "software": st.sampled_from([{"setup": "gpu", "containers": True}]),
        "monitoring": st.fixed_dictionaries(
            {},
            optional={
                "mode": st.sampled_from(["none", "self-hosting", "amp-only", "amp+amg"]),
                "detailed": st.booleans(),
                "log_retention_days": st.sampled_from([1, 30, 365]),
            },
        ),
        "timeouts": st.sampled_from([{"head_node_s": 3600, "compute_node_s": 2400}]),
        "parallelcluster": st.sampled_from([{"slurm": {"queue_update_strategy": "TERMINATE", "job_exclusive": True}}]),
        "tags": st.dictionaries(st.sampled_from(["team", "cost-centre", "Owner"]), st.sampled_from(["llm", "a b"])),
    }
    rest = draw(st.fixed_dictionaries({}, optional=optional))
    spec = {
        "name": draw(NAMES), "region": "us-east-2", "platform": "parallelcluster", "queues": queues,
        "file_systems": [{"mount": mount, **draw(FILE_SYSTEM_KINDS)} for mount in mounts], **rest,
    }  # fmt: skip
    return yaml_text(spec)

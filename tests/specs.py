"""Specs for tests: whole ones from parts, and generated ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.examples import example_spec
from trainyard.document.write import yaml_text
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse


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
    st.lists(_id("cr"), min_size=1, max_size=3).map(lambda ids: {"reservations": ids}),
)
NODES = st.one_of(st.integers(1, 1000), st.integers(0, 9).flatmap(lambda low: st.just({"min": low, "max": low + 1})))
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf"
SCRIPTS = st.lists(
    st.fixed_dictionaries(
        {"script": st.sampled_from(["s3://mine/a.sh", "s3://mine/b.sh", "https://example.com/c.sh"])},
        optional={"args": st.lists(st.sampled_from(["one", "two words", "3"]), max_size=2)},
    ),
    max_size=2,
)
ACTIONS = {"on_start": SCRIPTS, "before_setup": SCRIPTS, "after_setup": SCRIPTS}
SETTINGS = st.dictionaries(
    st.sampled_from(["JobCompType", "MaxArraySize", "DefMemPerGPU"]),
    st.sampled_from(["jobcomp/none", 1001]),
    max_size=2,
)
DCV = st.fixed_dictionaries({}, optional={"port": st.just(8444), "allow_from": st.just("203.0.113.7/32")})
VOLUME: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["gp3", "io2"]),
    "iops": st.integers(3000, 16000),
    "throughput_mib_s": st.integers(125, 1000),
    "encrypted": st.booleans(),
}
ONE_KIND_OF_NODES: dict[str, st.SearchStrategy[Any]] = {
    "spot_price_usd_per_hour": st.floats(0.5, 100),
    "gpudirect": st.booleans(),
    "multithreading": st.booleans(),
    "static_priority": st.integers(1, 9),
    "dynamic_priority": st.integers(10, 99),
    "gpu_health_check": st.booleans(),
    "schedulable_memory_mib": st.integers(1000, 100_000),
    "slurm_settings": st.just({"Sockets": 2, "CoresPerSocket": 48}),
    "nodes": NODES,
    "capacity": CAPACITY,
    "efa": st.sampled_from([None, True, False]),
    "placement_group": st.sampled_from([None, True, False]),
}
QUEUE_REST: dict[str, st.SearchStrategy[Any]] = {
    "availability_zone": st.sampled_from([None, "us-east-2a", ["us-east-2a", "us-east-2b"]]),
    "subnet": st.one_of(st.sampled_from(["private", "public"]), _id("subnet")),
    "ami": st.one_of(st.none(), _id("ami")),
    "root_volume": st.fixed_dictionaries({"size_gib": st.integers(45, 16000)}, optional=VOLUME),
    "allocation_strategy": st.sampled_from(["lowest-price", "capacity-optimized"]),
    "job_exclusive": st.booleans(),
    "partition_settings": st.just({"MaxTime": "1-00:00:00"}),
    "custom_actions": st.fixed_dictionaries({}, optional=ACTIONS),
    "setup": st.sampled_from([None, "gpu", "cpu", "neuron", "none"]),
}
TYPE_OR_TYPES = st.one_of(
    st.fixed_dictionaries({"instance_type": TYPES}), st.just({"instance_types": ["g5.12xlarge", "g6.12xlarge"]})
)
FLAT = st.tuples(TYPE_OR_TYPES, st.fixed_dictionaries({}, optional=ONE_KIND_OF_NODES | QUEUE_REST)).map(
    lambda parts: parts[0] | parts[1]
)
LONG = st.fixed_dictionaries(
    {
        "compute_resources": st.lists(
            st.tuples(TYPE_OR_TYPES, st.fixed_dictionaries({}, optional=ONE_KIND_OF_NODES)).map(
                lambda parts: parts[0] | parts[1]
            ),
            min_size=1,
            max_size=3,
        )
    },
    optional=QUEUE_REST,
)
FILE_SYSTEM_KINDS = st.one_of(
    st.fixed_dictionaries({"lustre": st.one_of(
        _id("fs").map(lambda id_: {"id": id_}),
        st.just({"size_gib": 4800, "throughput_mb_s_per_tib": 250, "data_repository": "s3://data/sets"}),
        st.just({"size_gib": 4800, "throughput_mb_s_per_tib": 1000, "efa": True, "metadata_iops": 12000}),
    )}),
    st.one_of(_id("fsvol").map(lambda id_: {"id": id_}), st.just({"size_gib": 512})).map(lambda one: {"openzfs": one}),
    st.one_of(
        _id("vol").map(lambda id_: {"id": id_}),
        st.fixed_dictionaries(
            {"size_gib": st.just(200)},
            optional=VOLUME | {"when_deleted": st.sampled_from(["Retain", "Snapshot", "Delete"])},
        ),
    ).map(lambda one: {"ebs": one}),
    st.one_of(
        _id("fs").map(lambda id_: {"id": id_, "access_point": "fsap-0123456789abcdef0", "iam_authorization": True}),
        st.just({}),
        st.just({"throughput_mib_s": 100, "performance": "maxIO", "when_deleted": "Delete"}),
    ).map(lambda one: {"efs": one}),
)  # fmt: skip
EXISTING = st.fixed_dictionaries(
    {
        "vpc": _id("vpc"),
        "private_subnets": st.lists(_id("subnet"), min_size=1, max_size=2),
        "public_subnets": st.lists(_id("subnet"), min_size=1, max_size=2),
    },
    optional={"security_groups": st.lists(_id("sg"), max_size=2)},
)

DIRECTORY = st.fixed_dictionaries(
    {
        "domain": st.sampled_from(["example.com", "dc=example,dc=com"]),
        "addresses": st.just(["ldaps://a.example.com", "ldaps://b.example.com:636"]),
        "read_only_user": st.just("cn=reader,dc=example,dc=com"),
        "password_secret": st.just(SECRET),
    },
    optional={
        "ca_certificate": st.just("/etc/ssl/ca.pem"),
        "require_certificate": st.sampled_from(["demand", "hard", "never"]),
        "access_filter": st.just("memberOf=cn=ml,dc=example,dc=com"),
        "generate_ssh_keys": st.booleans(),
        "sssd": st.just({"cache_credentials": "true"}),
    },
)
POOL = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["people", "robots"]),
        "count": st.integers(0, 3),
        "subnet": st.just("private"),
        "ami": _id("ami"),
        "grace_minutes": st.integers(3, 120),
        "dcv": DCV,
        "custom_actions": st.fixed_dictionaries({}, optional=ACTIONS | {"on_update": SCRIPTS}),
    },
)
SLURM = st.fixed_dictionaries(
    {},
    optional={
        "scaledown_idle_minutes": st.integers(-1, 60),
        "queue_update_strategy": st.sampled_from(["TERMINATE", "DRAIN"]),
        "job_exclusive": st.booleans(),
        "kill_wait_s": st.just(60),
        "slurmd_timeout_s": st.just(600),
        "unkillable_step_timeout_s": st.just(180),
        "memory_scheduling": st.booleans(),
        "accounting": st.sampled_from(
            [
                {"database": {"host": "db.example.com", "user": "slurm", "password_secret": SECRET, "name": "jobs"}},
                {"slurmdbd": {"host": "10.0.0.7"}},
            ]
        ),
        "munge_secret": st.just(SECRET),
        "settings": SETTINGS,
    },
)


def _at_most_two_made(file_systems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what the storage stack has no place for; the rule stack_places_exceeded forbids it."""
    return [one for at, one in enumerate(file_systems) if sum(_alike(one, other) for other in file_systems[:at]) < 2]


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether both are to be made by FSx, and of one kind."""
    return any("size_gib" in one.get(kind, {}) and "size_gib" in other.get(kind, {}) for kind in ("lustre", "openzfs"))


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
            {},
            optional={
                "existing": EXISTING,
                "availability_zone": st.just("us-east-2a"),
                "secondary_availability_zone": st.just("us-east-2b"),
                "further_availability_zones": st.sampled_from([[], ["us-east-2c"], ["us-east-2b", "us-east-2c"]]),
                "cidr": st.sampled_from(["10.20.0.0/16", "172.20.16.0/20"]),
                "connected_ranges": st.sampled_from([[], ["10.8.0.0/16"]]),
                "internet": st.just("none"),
                "http_proxy": st.just("http://proxy.example.com:3128"),
            },
        ),
        "access": st.fixed_dictionaries(
            {},
            optional={
                "ssh_key": st.sampled_from(["key", "my key"]),
                "allow_from": st.sampled_from([[], ["203.0.113.7/32"], ["203.0.113.7/32", "198.51.100.0/24"]]),
                "directory_service": DIRECTORY,
            },
        ),
        "iam": st.fixed_dictionaries(
            {},
            optional={
                "permissions_boundary": st.just("arn:aws:iam::123456789012:policy/b"),
                "resource_prefix": st.just("/team/ml-"),
                "policies": st.just(["arn:aws:iam::123456789012:policy/p"]),
                "kms_key": st.just("arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"),
            },
        ),
        "head_node": st.fixed_dictionaries(
            {},
            optional={
                "subnet": st.sampled_from(["private", "public"]),
                "elastic_ip": st.sampled_from([True, "203.0.113.7"]),
                "ami": _id("ami"),
                "multithreading": st.booleans(),
                "root_volume": st.fixed_dictionaries({}, optional=VOLUME),
                "imds_for_root_only": st.booleans(),
                "dcv": DCV,
                "custom_actions": st.fixed_dictionaries({}, optional=ACTIONS | {"on_update": SCRIPTS}),
            },
        ),
        "login_nodes": st.one_of(POOL, st.lists(POOL, min_size=1, max_size=2, unique_by=lambda one: one.get("name"))),
        "image": st.sampled_from([{"os": "ubuntu2404"}, {"os": "alinux2023", "ami": "ami-0123456789abcdef0"}]),
        "software": st.sampled_from(
            [
                {"setup": "gpu", "containers": True},
                {
                    "setup": "gpu",
                    "containers": True,
                    "on_failure": "hold",
                    "health_checks": False,
                    "efa_version": "1.48.0",
                    "nccl": {
                        "version": "2.28.7-1",
                        "tests_version": "2.16.9",
                        "ofi_version": "1.17.2",
                        "mount": "/fsx",
                    },
                    "container_images": ["nvcr.io#nvidia/pytorch:25.10-py3"],
                },
            ]
        ),
        "assets": st.just({"bucket": "my-assets"}),
        "monitoring": st.fixed_dictionaries(
            {},
            optional={
                "mode": st.sampled_from(["none", "self-hosting", "amp-only", "amp+amg"]),
                "alert_email": st.just("ml-team@example.com"),
                "alert_receivers": st.lists(
                    st.fixed_dictionaries(
                        {
                            "kind": st.sampled_from(["slack", "pagerduty", "webhook"]),
                            "secret": st.just("arn:aws:secretsmanager:us-east-2:123456789012:secret:tell-AbCdEf"),
                        },
                        optional={"severities": st.just(["critical"])},
                    ),
                    max_size=2,
                ),
                "instance_type": st.just("m5.large"),
                "budget_usd_month": st.sampled_from([1, 250_000]),
                "detailed": st.booleans(),
                "log_retention_days": st.sampled_from([1, 30, 3653]),
                "logs": st.booleans(),
                "keep_logs": st.booleans(),
                "log_rotation": st.booleans(),
                "dashboard": st.booleans(),
                "alarms": st.booleans(),
                "slurm_names": st.sampled_from(["vpenso", "rivosinc"]),
                "all_host_metrics": st.booleans(),
                "nccl_ras": st.booleans(),
                "nccl_inspector": st.booleans(),
                "cloudwatch_metrics": st.lists(
                    st.sampled_from(["system", "gpu", "efa", "efa-interfaces", "slurm"]), unique=True
                ),
            },
        ),
        "timeouts": st.sampled_from([{"head_node_s": 3600, "compute_node_s": 2400}]),
        "parallelcluster": st.fixed_dictionaries({}, optional={"slurm": SLURM, "imds": st.just("v1.0")}),
        "tags": st.dictionaries(st.sampled_from(["team", "cost-centre", "Owner"]), st.sampled_from(["llm", "a b"])),
    }
    rest = draw(st.fixed_dictionaries({}, optional=optional))
    spec = {
        "name": draw(NAMES), "region": "us-east-2", "platform": "parallelcluster", "queues": queues,
        "file_systems": _at_most_two_made([{"mount": mount, **draw(FILE_SYSTEM_KINDS)} for mount in mounts]), **rest,
    }  # fmt: skip
    return yaml_text(spec)

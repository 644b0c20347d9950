from tests.each_case import each_case
from tests.rules.found import paths, problems

RULE = "local-zone-without-service"
LUSTRE = "file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"
SSD = "size_gib: 4800, throughput_mb_s_per_tib: 250"


def place(zone: str, part: str = "") -> str:
    return f"region: {zone[:9]}\nnetwork: {{availability_zone: {zone}}}\n{part}"


@each_case(
    ("zone", "lustre", "found"),
    [
        ("us-east-1-dfw-2a", SSD, []),
        ("us-west-2-phx-2a", SSD.replace("250", "125"), []),
        ("us-east-1a", SSD.replace("250", "1000"), []),
        ("us-west-2-lax-1a", f"{SSD}, deployment: PERSISTENT_1".replace("250", "200"), []),
        ("us-east-1-dfw-2a", "id: fs-0123456789abcdef0", []),
        ("us-east-1-dfw-2a", SSD.replace("250", "500"), [".throughput_mb_s_per_tib"]),
        ("us-east-1-atl-2a", "size_gib: 19200, throughput_mb_s_per_tib: 250, efa: true", [".efa"]),
        ("us-east-1-dfw-2a", "intelligent_tiering: {throughput_mb_s: 4000}", [".intelligent_tiering"]),
        ("us-east-1-dfw-2a", "size_gib: 4800, deployment: SCRATCH_2", [".deployment"]),
        ("us-west-2-lax-1a", SSD, [".deployment"]),
        ("us-east-1-chi-2a", SSD, [""]),
    ],
)
def test_a_local_zone_has_few_kinds_of_lustre(zone: str, lustre: str, found: list[str]):
    part = place(zone, LUSTRE.format(lustre=lustre))
    assert paths(RULE, part) == [f"file_systems[0].lustre{key}" for key in found]


def ultraservers(zone: str, rest: str = "") -> str:
    nodes = "queues: [{name: q, instance_type: p6e-gb200.36xlarge, nodes: 18, "
    return place(zone, f"{nodes}capacity: {{capacity_block: cr-0123456789abcdef0}}{rest}}}]")


def test_ultraservers_stand_in_dallas():
    assert paths(RULE, ultraservers("us-east-1-dfw-2a")) == []
    (problem,) = problems(RULE, ultraservers("us-east-2a"))
    assert (problem.severity, problem.message) == (
        "warning",
        "AWS has p6e-gb200.36xlarge in the Local Zone of Dallas, and this stands in us-east-2a",
    )
    assert "us-east-1-dfw-2a" in str(problem.remedy)
    assert paths(RULE, ultraservers("us-east-1a", ", availability_zone: us-east-1-dfw-2a")) == []


def test_neither_groups_of_reservations_nor_control_planes_are_in_local_zones():
    group = "arn:aws:resource-groups:us-east-1:123456789012:group/mine"
    queue = f'queues: [{{name: q, instance_type: p5.48xlarge, capacity: {{reservation_group: "{group}"}}}}]'
    assert paths(RULE, place("us-east-1-dfw-2a", queue)) == ["queues[0].capacity"]
    assert paths(RULE, place("us-east-1a", queue)) == []
    assert paths(RULE, place("us-east-1-dfw-2a", "platform: eks")) == ["network.availability_zone"]
    queue = "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-1-dfw-2a}]"
    assert paths(RULE, place("us-east-1a", f"platform: eks\n{queue}")) == ["queues[0].availability_zone"]
    assert paths(RULE, place("us-east-1-dfw-2a", "platform: batch")) == []

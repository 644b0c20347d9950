from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from tests.render.diagram.drawn import SPECS, drawn
from tests.render.diagram.nasty import NASTY
from tests.specs import spec_of, spec_texts
from trainyard.architectures import all_architectures
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.spec.parsing import parse

SVG = "{http://www.w3.org/2000/svg}"


def words_in(svg: str) -> str:
    return " ".join(" ".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text"))


ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b"


@given(spec_texts())
def test_every_spec_can_be_drawn(text: str):
    root = ET.fromstring(drawn(text))
    assert root.tag == f"{SVG}svg"


@pytest.mark.parametrize("name", SPECS)
def test_the_same_spec_gives_the_same_bytes(name: str):
    assert drawn(SPECS[name]) == drawn(SPECS[name])


@pytest.mark.parametrize("name", SPECS)
def test_a_picture_needs_nothing_beside_itself(name: str):
    root = ET.fromstring(drawn(SPECS[name]))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "path", "g", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any("href" in name or name.startswith("on") for name in attributes)
    values = [value for element in root.iter() for value in element.attrib.values()]
    style = root.findtext(f"{SVG}style") or ""
    assert not any("url(" in value for value in [style, *values])
    assert "@import" not in style


@pytest.mark.parametrize("name", SPECS)
def test_a_picture_is_named_and_described_for_who_cannot_see_it(name: str):
    root = ET.fromstring(drawn(SPECS[name]))
    ids = {element.get("id"): (element.text or "").strip() for element in root.iter() if element.get("id")}
    assert root.get("role") == "img"
    assert all(ids[one] for one in (root.get("aria-labelledby") or "").split())
    assert "File systems: " in ids["ty-about"]


@pytest.mark.parametrize("architecture", all_architectures(), ids=lambda one: one.name)
def test_the_picture_of_an_architecture_shows_nodes_file_systems_and_zone(architecture):
    spec = parse(architecture.text, "cluster.yaml").spec
    words = words_in(architecture_svg(spec))
    expected = [spec.name, f"Region {spec.region}", spec.network.availability_zone or "subnet-"]
    box = "Node group" if spec.platform == "eks" else "Queue"
    expected += {
        "batch": ["AWS Batch"],
        "eks": ["Amazon EKS", "System nodes", spec.eks.system_nodes.instance_type],
        "parallelcluster": [spec.head_node.instance_type],
    }[spec.platform]
    expected += [file_system.mount for file_system in spec.file_systems] + [
        f"{box} {queue.name}" for queue in spec.queues
    ]
    expected += [group.instance_type for group in spec.node_groups()]
    assert [one for one in expected if one not in words] == []


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("queues: [{name: q, instance_type: p5.48xlarge, nodes: 4}]", "4 × p5.48xlarge"),
        ("queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 2, max: 8}}]", "2–8 × p5.48xlarge"),
        ("queues: [{name: q, instance_type: p5.48xlarge}]", "EFA on 32 cards, 3,200 Gbit/s"),
        ("queues: [{name: q, instance_type: p5.48xlarge}]", "8 × H100, 80 GiB each"),
        ("queues: [{name: q, instance_type: p5.48xlarge, capacity: spot}]", "Spot"),
        (
            "queues: [{name: q, instance_type: p5.48xlarge, capacity: {capacity_block: cr-0123456789abcdef0}}]",
            "Capacity Block cr-0123456789abcdef0",
        ),
        (
            "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]",
            "4,800 GiB, 1,200 MB/s",
        ),
        ("network: {internet: none}", "VPC endpoints"),
        ("monitoring: {mode: amp+amg}", "Amazon Managed Grafana"),
        (f"monitoring: {{mode: self-hosting, certificate: '{ARN}'}}", "Load balancer"),
        ("monitoring: {mode: self-hosting}", "also forwarded to Grafana"),
        ("access: {allow_from: [203.0.113.7/32]}\nhead_node: {subnet: public}", "SSH from 203.0.113.7/32"),
        ("platform: eks\naccess: {allow_from: [203.0.113.7/32]}", "kubectl from 203.0.113.7/32"),
        ("platform: eks\neks: {endpoint: private}", "kubectl from within the network"),
        ("platform: eks", "everywhere, as IAM allows: access.allow_from is empty"),
        ("platform: eks\nmonitoring: {mode: amp-only}", "Prometheus collects metrics of all nodes"),
        (
            "platform: eks\nqueues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4, desired: 3}}]",
            "3 at first",
        ),
    ],
)
def test_a_picture_shows(part: str, shown: str):
    assert shown in words_in(architecture_svg(spec_of(part)))


@pytest.mark.parametrize(
    ("part", "hidden"),
    [
        ("queues: [{name: q, instance_type: p5.48xlarge, efa: false}]", "EFA"),
        ("queues: [{name: q, instance_type: p9.unknown}]", "EFA"),
        ("monitoring: {mode: amp-only}", "Grafana"),
        ("monitoring: {mode: self-hosting}", "Load balancer"),
        ("monitoring: {logs: false, dashboard: false, alarms: false}", "CloudWatch"),
        ("file_systems: [{mount: /home, openzfs: {size_gib: 64}}]", "root volume of the head node"),
        ("head_node: {subnet: public}", "SSH from"),
        ("platform: eks", "Head node"),
        ("platform: eks", "Slurm"),
        ("platform: eks\nmonitoring: {logs: false}", "CloudWatch"),
    ],
)
def test_a_picture_does_not_show_what_is_not_there(part: str, hidden: str):
    assert hidden not in words_in(architecture_svg(spec_of(part)))


def test_an_environment_is_drawn_without_nodes():
    words = words_in(drawn(NASTY["environment"]))
    assert "those whose spec says environment: use2" in words
    assert "Head node" not in words
    assert "Queue" not in words


def test_a_cluster_in_an_environment_has_no_network_of_its_own():
    words = words_in(drawn(NASTY["in-an-environment"]))
    assert "VPC of use2" in words
    assert "NAT gateway" not in words


def test_what_is_cut_off_stands_whole_in_a_title():
    root = ET.fromstring(drawn(NASTY["ten-queues-of-five"]))
    cut = [element for element in root.iter(f"{SVG}text") if re.search("…$", (element.text or "").strip())]
    assert cut
    for element in cut:
        beginning = (element.text or "").strip().removesuffix("…")
        assert beginning in (element.findtext(f"{SVG}title") or "")


def test_hostile_names_stay_text():
    svg = drawn(NASTY["hostile"])
    assert "<script" not in svg
    assert "<img" not in svg
    assert "<script>alert(1)</script>" in " ".join(ET.fromstring(svg).itertext())

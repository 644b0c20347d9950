from tests.rules.found import paths, problems

RULE = "images-without-internet"
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]\n"
IMAGES = (
    LUSTRE + 'software: {containers: true, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3", "ubuntu:24.04"]}\n'
)
EXISTING = "network: {internet: none, existing: {vpc: vpc-01234567, private_subnets: [subnet-01234567]}}\n"
PLACE = ["software.container_images"]


def test_images_without_a_way_to_their_registry_are_found():
    (problem,) = problems(RULE, IMAGES + "network: {internet: none}")
    assert problem.path == ("software", "container_images")
    assert problem.severity is None
    assert problem.message == (
        "the head node cannot fetch nvcr.io#nvidia/pytorch:25.10-py3 and 1 more: network.internet is none"
    )


def test_an_image_of_ecr_is_found_too_because_trainyard_makes_no_endpoint_for_it():
    image = "123456789012.dkr.ecr.us-east-2.amazonaws.com#train:1"
    part = f'{LUSTRE}software: {{containers: true, container_images: ["{image}"]}}\nnetwork: {{internet: none}}'
    (problem,) = problems(RULE, part)
    assert problem.message == f"the head node cannot fetch {image}: network.internet is none"


def test_a_network_of_the_user_s_own_may_have_what_it_needs():
    (problem,) = problems(RULE, IMAGES + EXISTING)
    assert problem.severity == "warning"
    assert problem.message.startswith("the head node may not be able to fetch nvcr.io#nvidia/pytorch:25.10-py3 and 1 ")
    assert "endpoint" in (problem.remedy or "")


def test_what_reaches_the_internet_is_fine():
    assert paths(RULE, IMAGES) == []
    assert paths(RULE, IMAGES + "network: {internet: none, http_proxy: 'http://proxy.example.com:3128'}") == []


def test_only_the_head_node_imports():
    assert paths(RULE, IMAGES + "network: {internet: none}\nhead_node: {subnet: public}") == []
    assert paths(RULE, IMAGES + "network: {internet: none}\nhead_node: {subnet: private}") == PLACE


def test_a_cluster_without_images_needs_no_registry():
    assert paths(RULE, LUSTRE + "software: {containers: true}\nnetwork: {internet: none}") == []


def test_other_platforms_import_nothing():
    assert paths(RULE, IMAGES + "network: {internet: none}\nplatform: eks") == []

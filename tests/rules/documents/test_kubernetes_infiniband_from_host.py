from tests.rules.documents.found import manifest_pod, on_type, problems

RULE = "kubernetes-infiniband-from-host"
VOLUME = "volumes: [{name: d, hostPath: {path: /dev/infiniband/}}]"


def judged(pod: str, image: str = "r/a:1") -> list[str | None]:
    text = manifest_pod("").replace("r/a:1", image).replace("], }", f"], {pod}}}")
    return [problem.severity for problem in problems(RULE, text)]


def test_the_devices_of_blackwell_nodes_are_found():
    assert judged(f"{VOLUME}, {on_type('p6-b200.48xlarge')}") == [None]


def test_where_no_type_is_named_they_are_mentioned():
    assert judged(VOLUME) == ["info"]


def test_other_types_other_folders_and_the_plugins_themselves_are_fine():
    assert judged(f"{VOLUME}, {on_type('p5.48xlarge')}") == []
    assert judged("volumes: [{name: d, hostPath: {path: /dev/shm}}]") == []
    assert judged(VOLUME, "r/aws-efa-k8s-device-plugin:v1") == []

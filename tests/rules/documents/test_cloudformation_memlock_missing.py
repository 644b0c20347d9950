from tests.rules.documents.found import launching, multi_node, paths, template

RULE = "cloudformation-memlock-missing"
EFA = launching("{NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa-only}]}")
PLACE = "Resources.B.Properties.NodeProperties.NodeRangeProperties[0].Container"


def limited(soft: str) -> str:
    return template(EFA, multi_node(f"{{Ulimits: [{{Name: memlock, SoftLimit: {soft}, HardLimit: -1}}]}}"))


def test_no_memlock_is_found():
    assert paths(RULE, template(EFA, multi_node("{Ulimits: [{Name: nofile, SoftLimit: 1, HardLimit: 1}]}"))) == [PLACE]


def test_a_limit_that_is_a_number_is_found():
    assert paths(RULE, limited("65536")) == [f"{PLACE}.Ulimits[0].SoftLimit"]


def test_of_several_jobs_those_that_see_efa_need_it():
    sees = "{LinuxParameters: {Devices: [{HostPath: /dev/infiniband/uverbs0}]}}"
    assert paths(RULE, template(EFA, multi_node(sees), multi_node("{Image: stress:1}"))) == [PLACE]


def test_no_limit_is_fine_however_it_is_written():
    assert paths(RULE, limited("-1")) == []
    assert paths(RULE, limited("'-1'")) == []
    assert paths(RULE, template(EFA, multi_node("{Ulimits: !Ref Limits}"))) == []


def test_without_efa_nothing_is_locked():
    assert paths(RULE, template(launching("{}"), multi_node("{Image: a:1}"))) == []

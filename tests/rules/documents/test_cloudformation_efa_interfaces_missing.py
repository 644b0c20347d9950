from tests.rules.documents.found import launching, paths, problems, template

RULE = "cloudformation-efa-interfaces-missing"


def cards(count: int, kind: str = "efa") -> str:
    listed = (
        f"{{NetworkCardIndex: {card}, DeviceIndex: {min(card, 1)}, InterfaceType: {kind}}}" for card in range(count)
    )
    return f"[{', '.join(listed)}]"


def of_type(instance_type: str, interfaces: str) -> str:
    return template(launching(f"{{InstanceType: {instance_type}, NetworkInterfaces: {interfaces}}}"))


def test_some_and_not_all_are_found_with_both_numbers():
    (problem,) = problems(RULE, of_type("p5.48xlarge", cards(8)))
    assert problem.message == "A gives p5.48xlarge 8 EFA interfaces, and it has 32"


def test_the_branch_for_a_type_is_counted_by_that_type():
    chosen = launching(f"{{NetworkInterfaces: !If [IsP5Node, {cards(8)}, {cards(4)}]}}")
    more = "Conditions: {IsP5Node: !Equals [!Ref NodeType, p5.48xlarge]}"
    (path,) = paths(RULE, template(chosen, more=more))
    assert path.endswith("NetworkInterfaces.Fn::If[1]")


def test_all_of_them_and_none_are_fine():
    assert paths(RULE, of_type("p4d.24xlarge", cards(4))) == []
    assert paths(RULE, of_type("p4d.24xlarge", cards(1, "interface"))) == []
    assert paths(RULE, of_type("x9.metal", cards(1))) == []

import pytest

from tests.rules.documents.found import problems, template

RULE = "cloudformation-lambda-runtime-ends"


@pytest.mark.parametrize(
    ("runtime", "severity"), [("nodejs12.x", "error"), ("python3.8", None), ("python3.9", None), ("nodejs22.x", "info")]
)
def test_ends_are_judged_by_what_is_still_possible(runtime: str, severity: str | None):
    (problem,) = problems(RULE, template(f"Lambda::Function {{Runtime: {runtime}}}"))
    assert problem.path == ("Resources", "A", "Properties", "Runtime")
    assert problem.severity == severity


def test_the_default_of_a_parameter_counts():
    text = template("Lambda::Function {Runtime: !Ref R}", more="Parameters: {R: {Type: String, Default: python3.8}}\n")
    assert len(problems(RULE, text)) == 1


@pytest.mark.parametrize("runtime", ["python3.13", "python9.9", "!FindInMap [a, b, c]", "!Ref Unknown", "[]"])
def test_runtimes_with_support_and_unknown_ones_are_fine(runtime: str):
    assert problems(RULE, template(f"Lambda::Function {{Runtime: {runtime}}}")) == []

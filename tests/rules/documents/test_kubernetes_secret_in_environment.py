import pytest

from tests.rules.documents.found import manifest_pod, paths, problems

RULE = "kubernetes-secret-in-environment"


def with_variable(name: str, value: str) -> str:
    return manifest_pod(f"env: [{{name: A, value: b}}, {{name: {name}, value: {value}}}]")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", "hf_" + "aB3" * 12),
        ("KEY", "AKIAIOSFODNN7EXAMPLE"),
        ("WANDB_API_KEY", "0123456789abcdef" * 2 + "01234567"),
    ],
)
def test_a_secret_is_found_and_not_repeated(name: str, value: str):
    (problem,) = problems(RULE, with_variable(name, value))
    assert problem.path == ("spec", "containers", 0, "env", 1, "value")
    assert value not in problem.message


@pytest.mark.parametrize("value", ["$HF_TOKEN", "hf_xxx", "<your token>", "''", "null", "'${TOKEN}'", "[]"])
def test_placeholders_and_what_has_another_form_are_fine(value: str):
    assert paths(RULE, with_variable("HF_TOKEN", value)) == []

import pytest

from tests.rules.documents.found import paths, problems

RULE = "kubernetes-api-removed"


@pytest.mark.parametrize(
    ("version", "kind"), [("policy/v1beta1", "PodSecurityPolicy"), ("networking.k8s.io/v1beta1", "Ingress")]
)
def test_removed_versions_are_found(version: str, kind: str):
    assert paths(RULE, f"apiVersion: {version}\nkind: {kind}\n") == ["apiVersion"]


def test_definitions_that_come_in_several_versions_are_no_error():
    (problem,) = problems(RULE, "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n")
    assert problem.severity == "warning"


def test_items_of_a_list_are_looked_at():
    text = (
        "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}, {apiVersion: batch/v1beta1, kind: CronJob}]\n"
    )
    assert paths(RULE, text) == ["items[1].apiVersion"]


@pytest.mark.parametrize(
    ("version", "kind"),
    [("batch/v1", "CronJob"), ("networking.k8s.io/v1beta1", "IPAddress"), ("kubeflow.org/v1", "MPIJob")],
)
def test_served_versions_newer_kinds_and_versions_of_others_are_fine(version: str, kind: str):
    assert paths(RULE, f"apiVersion: {version}\nkind: {kind}\n") == []

"""Tokens and keys that a manifest gives in the clear."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.workload import containers

# As those who give them out say they look.
# https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
_SECRET = re.compile(
    r"hf_[A-Za-z0-9]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36,}|nvapi-[\w-]{40,}|sk-[\w-]{32,}"
)
_NAME = re.compile(r"WANDB_API_KEY|AWS_SECRET_ACCESS_KEY")
_VALUE = re.compile(r"[0-9a-f]{40}|[A-Za-z0-9/+]{40}")


def check(document: Document) -> Iterator[Problem]:
    """Yield variables whose value is a secret by its form."""
    for container in containers(document):
        variables = container.written.get("env")
        for index, variable in enumerate(variables if isinstance(variables, tuple) else ()):
            if not isinstance(variable, dict) or not isinstance(value := variable.get("value"), str):
                continue
            name = str(variable.get("name"))
            if _SECRET.fullmatch(value) or (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
                message = f"{container.pod.owner.name} has the secret of {name} in the clear"
                yield Problem((*container.path, "env", index, "value"), message)


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Secret in the clear",
    rationale=(
        "Who may read pods, which many may, can read their environment, and a manifest lies in a repository, in shell "
        "histories and in backups. A token that has been there is to be taken as known."
    ),
    remedy="revoke it, put a new one into a Secret, and name that with valueFrom.secretKeyRef",
    source="https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      env: [{name: AWS_ACCESS_KEY_ID, value: AKIAIOSFODNN7EXAMPLE}]
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hugging-face, key: token}}}]
""",
    check=check,
)

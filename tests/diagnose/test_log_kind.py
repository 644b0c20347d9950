from __future__ import annotations

import pytest
import yaml

from trainyard.diagnose import log_kind
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.log_kind import applies, kind_of, kinds

HOST = "logs/cloudwatch-logs/ip-10-0-0-7.i-0123456789abcdef0"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"{HOST}.system-messages", "syslog"),
        (f"{HOST}.clustermgtd_events", "clustermgtd-events"),
        (f"{HOST}.bootstrap_error_msg", "bootstrap-error-msg"),
        (f"{HOST}.slurm_something_new", None),
        ("/var/log/parallelcluster/clustermgtd.events", "clustermgtd-events"),
        ("/var/log/syslog.2.gz", "syslog"),
        ("messages-20250703", "syslog"),
        ("kern.log", "syslog"),
        ("dmesg.txt", "syslog"),
        ("slurmctld.log.1", "slurmctld"),
        ("llm-train-logs-202505061300/llm-train-cfn-events", "cfn-events"),
        ("job-output/slurm-41.out", "job-output"),
        ("train.err", "job-output"),
        ("/var/log/pods/default_trainer-0/trainer/0.log", "pod-logs"),
        ("train.log", None),
        ("-", None),
    ],
)
def test_names_tell_kinds(name: str, kind: str | None):
    assert kind_of(name) == kind


def test_a_signature_means_something_where_its_log_is_written_to_as_well():
    assert applies(("slurm_resume",), "slurm-resume")
    assert applies(("slurmd",), "syslog")
    assert not applies(("slurmd",), "job-output")
    assert applies(("slurmd",), None)
    assert applies((), "job-output")
    assert applies(("bootstrap",), "cfn-init")


def test_signatures_name_only_kinds_that_there_are():
    assert {word.replace("_", "-") for one, _ in signatures().values() for word in one.logs} <= set(kinds())


def test_the_data_names_only_kinds_that_there_are():
    content = yaml.safe_load(log_kind._DATA.read_text())
    named = [*content["groups"].values(), *content["holds"].values(), list(content["holds"])]
    assert {word for words in named for word in words} <= set(content["kinds"])

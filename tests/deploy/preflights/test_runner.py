"""Running all preflights at once: places, refusals, time limits, and one call for each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from tests.deploy.preflights.good import OWN_NETWORK, SPEC, changed, context
from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from trainyard.deploy.preflight_runner import NOT_RUN, run_preflights
from trainyard.deploy.preflights import Preflight, PreflightContext, all_preflights
from trainyard.finding import Finding
from trainyard.rules import Problem


def run(spec: str = SPEC, answers: Any = None, **more: Any) -> tuple[Finding, ...]:
    return run_preflights(context(spec, answers, **more), lambda _: None)


def one(check: Callable[[PreflightContext], Iterator[Problem]], id_: str = "made-up") -> Preflight:
    return Preflight(
        id=id_,
        severity="error",
        title="t",
        rationale="r",
        remedy="do",
        source="https://example.com",
        permissions=(),
        check=check,
    )


def test_nothing_is_found_in_the_good_account():
    assert run() == ()


def test_a_finding_has_its_place_in_the_file_and_all_that_the_preflight_says():
    (finding,) = run(answers={"ec2.DescribeKeyPairs": {"KeyPairs": []}})
    assert (finding.id, finding.severity, finding.path) == ("key-pair-not-usable", "error", "access.ssh_key")
    assert (finding.file, finding.line, finding.column) == ("cluster.yaml", 11, 3)
    assert finding.source == "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-key-pairs.html"
    assert finding.remedy is not None


def test_without_a_document_the_path_is_all_there_is():
    whole = context(answers={"ec2.DescribeKeyPairs": {"KeyPairs": []}})
    (finding,) = run_preflights(PreflightContext(whole.spec, whole.account), lambda _: None)
    assert (finding.file, finding.line, finding.path) == (None, None, "access.ssh_key")


def test_errors_come_first():
    findings = run(answers={"ec2.DescribeKeyPairs": {"KeyPairs": []}, "s3.HeadObject": Refusal("403", status=403)})
    assert [finding.severity for finding in findings] == ["error", "warning"]


def test_what_may_not_be_asked_is_one_warning_with_the_permission_and_all_that_it_keeps_from_running():
    (finding,) = run(answers={"ec2.DescribeCapacityReservations": Refusal("UnauthorizedOperation", "not you", 403)})
    assert (finding.id, finding.severity) == (NOT_RUN.id, "warning")
    assert finding.message == (
        "could not be checked: reservation-for-another-platform, reservation-in-another-zone, reservation-not-active, "
        "reservation-not-found, reservation-of-another-kind, reservation-of-another-type, reservation-too-small, "
        "vcpu-quota-too-small: no permission for ec2:DescribeCapacityReservations"
    )
    assert finding.remedy == "ask for the permission ec2:DescribeCapacityReservations; AWS says: not you"


@pytest.mark.parametrize("code", ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"])
def test_a_simulation_that_is_not_allowed_is_one_warning(code):
    (finding,) = run(answers={"iam.SimulatePrincipalPolicy": Refusal(code, status=403)})
    assert finding.message == "could not be checked: permission-missing: no permission for iam:SimulatePrincipalPolicy"


def test_every_call_refused_is_nothing_but_warnings():
    refused = Refusal("AccessDeniedException", "no", 403)
    good = context()
    assert isinstance(good.account, RecordedAccount)
    answers = dict.fromkeys(good.account.answers, refused)
    answers["sts.GetCallerIdentity"] = good.account.answers["sts.GetCallerIdentity"]  # type: ignore[assignment]  # an answer
    findings = run(answers=answers)
    # The two buckets are errors: S3 does not tell a bucket that may not be listed from one of somebody else.
    assert {finding.id for finding in findings if finding.severity == "error"} <= {
        "assets-bucket-not-usable", "data-repository-not-usable",
    }  # fmt: skip
    assert sum(finding.id == NOT_RUN.id for finding in findings) > 10


def test_another_error_of_aws_is_a_warning_with_its_words():
    (finding,) = run(answers={"kms.DescribeKey": Refusal("KMSInternalException", "come back later", 400)})
    assert finding.severity == "warning"
    assert finding.message == (
        "could not be checked: kms-key-not-usable: could not ask AWS (kms:DescribeKey): come back later"
    )


def test_bad_credentials_are_the_only_finding():
    refused = Refusal("ExpiredToken", "The security token included in the request is expired", 403)
    asking = context(answers={"sts.GetCallerIdentity": refused})
    findings = run_preflights(asking, lambda _: None)
    assert [finding.id for finding in findings] == ["account-not-usable"]
    assert isinstance(asking.account, RecordedAccount)
    assert set(asking.account.calls) == {"sts.GetCallerIdentity"}


def test_a_region_that_could_not_be_asked_about_keeps_nothing_else_from_running():
    findings = run(answers={"ec2.DescribeRegions": Refusal("InternalError"), "ec2.DescribeKeyPairs": {"KeyPairs": []}})
    assert [finding.id for finding in findings] == ["key-pair-not-usable", NOT_RUN.id]


def test_each_question_is_asked_once():
    asking = context()
    run_preflights(asking, lambda _: None)
    assert isinstance(asking.account, RecordedAccount)
    for call in (
        "ec2.DescribeCapacityReservations",
        "ec2.DescribeSubnets",
        "ec2.DescribeVpcs",
        "ec2.DescribeInstances",
    ):
        assert asking.account.calls.count(call) == 1


def test_nothing_is_changed_in_the_account():
    asking = context()
    run_preflights(asking, lambda _: None)
    assert isinstance(asking.account, RecordedAccount)
    reading = ("Describe", "Get", "List", "Head", "Simulate")
    assert [call for call in asking.account.calls if not call.split(".")[1].startswith(reading)] == []


def test_an_error_that_is_shared_is_kept_for_all_who_ask():
    asking = context(answers={"ec2.DescribeVpcs": Refusal("UnauthorizedOperation", status=403)})
    (finding,) = run_preflights(asking, lambda _: None)
    assert finding.message.startswith("could not be checked: network-not-found, vpc-without-dns: no permission for")
    assert isinstance(asking.account, RecordedAccount)
    assert asking.account.calls.count("ec2.DescribeVpcs") == 1


def test_a_bug_is_raised():
    def broken(_context: PreflightContext) -> Iterator[Problem]:
        raise KeyError("nobody thought of this")

    with pytest.raises(KeyError, match="nobody thought of this"):
        run_preflights(context(), lambda _: None, (one(broken),))


def test_who_does_not_answer_in_time_is_not_waited_for():
    never = Event()

    def hanging(_context: PreflightContext) -> Iterator[Problem]:
        never.wait()
        yield Problem((), "too late")

    (finding,) = run_preflights(context(), lambda _: None, (one(hanging, "hangs"),), limit_s=0)
    never.set()
    assert (finding.id, finding.severity) == (NOT_RUN.id, "warning")
    assert finding.message == "could not be checked: hangs: AWS did not answer within 0 s"


def test_the_report_says_how_many_questions_there_are_and_what_came_of_them():
    heard: list[str] = []
    run_preflights(context(), heard.append)
    assert heard == [f"asks the account {len(all_preflights())} questions about llm-p5", "nothing against it"]
    run_preflights(context(answers={"ec2.DescribeKeyPairs": {"KeyPairs": []}}), heard.append)
    assert heard[-1] == "1 finding"


def test_a_cluster_that_makes_its_own_network_passes_too():
    nothing_reserved: dict[str, Any] = {"ec2.DescribeCapacityReservations": {"CapacityReservations": []}}
    assert run(OWN_NETWORK, nothing_reserved) == ()
    assert run(changed("{min: 0, max: 4}", "4", OWN_NETWORK), nothing_reserved) == ()


ENVIRONMENT = """\
kind: environment
name: use2
region: us-east-2
network: {availability_zone: us-east-2a}
file_systems:
  - mount: /fsx
    lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250, data_repository: s3://ml-datasets}
monitoring: {mode: amp+amg}
"""


def test_an_environment_is_looked_at_without_nodes():
    assert run(ENVIRONMENT) == ()
    findings = run(ENVIRONMENT, {"sso-admin.ListInstances": {"Instances": []}})
    assert [(finding.id, finding.path) for finding in findings] == [("identity-center-missing", "monitoring.mode")]

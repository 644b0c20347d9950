"""Sessions of Systems Manager: their beginning, their end, and what goes wrong."""

from __future__ import annotations

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.connect.clusters import FIRST, HEAD, account
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.ssm_sessions import Session, SessionRequest, agent_state, end_session, start_session
from trainyard.errors import TrainyardError

BEGAN = Session("me-0123456789abcdef0", "very-secret", "wss://example/stream")


def test_a_session_begins_with_its_token():
    assert start_session(account(), SessionRequest(HEAD)) == BEGAN


def test_a_session_does_not_print_its_token():
    assert "very-secret" not in f"{BEGAN!r} {BEGAN}"


@pytest.mark.parametrize("state", ["Online", "ConnectionLost", "Inactive", None], ids=str)
def test_the_state_of_an_agent_is_what_systems_manager_says(state: str | None):
    assert agent_state(account(offline={FIRST: state}), FIRST) == state


@pytest.mark.parametrize("code", ["InvalidInstanceId", "InvalidInstanceInformationFilterValue"])
def test_an_instance_that_systems_manager_never_heard_of_is_not_managed(code: str):
    assert agent_state(account(ssm__DescribeInstanceInformation=Refusal(code)), HEAD) is None


def test_an_instance_that_is_not_connected_is_told_with_what_it_takes():
    with pytest.raises(TrainyardError, match=f"no session with {HEAD}: it is not connected") as told:
        start_session(account(offline={HEAD: None}), SessionRequest(HEAD))
    assert "AmazonSSMManagedInstanceCore" in str(told.value.hint)


def test_a_document_that_is_missing_is_told_with_its_name():
    missing = account(ssm__StartSession=Refusal("InvalidDocument"))
    with pytest.raises(TrainyardError, match="has no document AWS-StartInteractiveCommand"):
        start_session(missing, SessionRequest(HEAD, "AWS-StartInteractiveCommand"))


def test_who_may_not_start_sessions_is_told_which_permission_is_missing():
    with pytest.raises(NotAllowedError) as told:
        start_session(account(ssm__StartSession=Refusal("AccessDeniedException", "no")), SessionRequest(HEAD))
    assert told.value.permission == "ssm:StartSession"


@pytest.mark.parametrize("code", ["AccessDeniedException", "DoesNotExistException", "InternalServerError"])
def test_that_a_session_cannot_be_ended_is_no_error(code: str):
    where = account(ssm__TerminateSession=Refusal(code))
    end_session(where, BEGAN)
    assert where.calls == ["ssm.TerminateSession"]

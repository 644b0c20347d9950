from tests.deploy.preflights.good import NOW, SECRET, context, found, problems
from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from trainyard.deploy.preflights.secret_not_usable import check

PREFLIGHT = "secret-not-usable"
PATH = ("access", "directory_service", "password_secret")


def test_a_secret_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers={"secretsmanager.DescribeSecret": Refusal("ResourceNotFoundException")})
    assert problem.path == PATH
    assert problem.message == f"there is no secret {SECRET}"


def test_a_secret_that_is_about_to_be_deleted_is_found():
    (problem,) = problems(PREFLIGHT, answers={"secretsmanager.DescribeSecret": {"ARN": SECRET, "DeletedDate": NOW}})
    assert problem.message == f"secret {SECRET} is about to be deleted"


def test_the_value_of_a_secret_is_never_asked_for():
    asking = context()
    assert list(check(asking)) == []
    assert isinstance(asking.account, RecordedAccount)
    assert asking.account.calls == ["secretsmanager.DescribeSecret"]
    assert found(PREFLIGHT) == []

"""What CloudFormation refuses before it does anything, with the codes and words of AWS."""

from __future__ import annotations

from moto.core.exceptions import ServiceException


class InvalidError(ServiceException):
    """A request that is wrong: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/CommonErrors.html."""

    code = "ValidationError"


class TakenError(ServiceException):
    """A stack of this name exists."""

    code = "AlreadyExistsException"


class CapabilitiesError(ServiceException):
    """The caller has not said that IAM resources may be made."""

    code = "InsufficientCapabilitiesException"

    def __init__(self, missing: str) -> None:
        """Name the capability that would do."""
        super().__init__(f"Requires capabilities : [{missing}]")


class ChangeSetUnknownError(ServiceException):
    """No change set of this name."""

    code = "ChangeSetNotFound"

    def __init__(self, name: str) -> None:
        """Name it."""
        super().__init__(f"ChangeSet [{name}] does not exist")


class ChangeSetStatusError(ServiceException):
    """A change set that cannot be executed now."""

    code = "InvalidChangeSetStatus"

"""The price of a cluster as it was deployed last, beside which a change of it is shown."""

from __future__ import annotations

from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.record import read_record
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.errors import SpecError
from trainyard.spec.parsing import parse


def former_cost(work: Work) -> Cost | None:
    """Return the price an hour of the spec that was deployed last; None where there is none that can be read.

    Raises TrainyardError where the account does not answer.
    """
    if s3.bucket_problem(work.account, work.bucket) is not None:
        return None
    record = read_record(work.account, work.bucket, work.name)
    if record is None:
        return None
    try:
        return hourly_cost(parse(record.spec_text, work.name).spec)
    except SpecError:  # of another version of trainyard
        return None

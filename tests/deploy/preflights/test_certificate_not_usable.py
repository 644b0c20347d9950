from datetime import timedelta
from typing import Any

import pytest

from tests.deploy.preflights.good import CERTIFICATE, NOW, changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "certificate-not-usable"
SPEC = changed("{mode: amp+amg}", f'{{mode: self-hosting, certificate: "{CERTIFICATE}"}}')


def certificate(**of: Any) -> dict[str, Any]:
    return {"acm.DescribeCertificate": {"Certificate": {"CertificateArn": CERTIFICATE, "Status": "ISSUED", **of}}}


def test_a_certificate_that_is_issued_is_fine():
    assert found(PREFLIGHT, SPEC) == []
    assert found(PREFLIGHT, SPEC, certificate(NotAfter=NOW + timedelta(days=30))) == []


def test_a_certificate_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, SPEC, {"acm.DescribeCertificate": Refusal("ResourceNotFoundException")})
    assert problem.path == ("monitoring", "certificate")
    assert CERTIFICATE in problem.message


@pytest.mark.parametrize("status", ["PENDING_VALIDATION", "EXPIRED", "REVOKED", "FAILED"])
def test_a_certificate_that_is_not_issued_is_found(status):
    assert found(PREFLIGHT, SPEC, certificate(Status=status)) == ["monitoring.certificate"]


def test_a_certificate_that_is_over_is_found():
    (problem,) = problems(PREFLIGHT, SPEC, certificate(NotAfter=NOW - timedelta(days=1)))
    assert problem.message == f"certificate {CERTIFICATE} ended on 2027-01-14"

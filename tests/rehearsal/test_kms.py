"""KMS in the emulated account: keys are there at once, and those that sign do."""

from __future__ import annotations

import pytest

from tests.rehearsal.account_copies import empty_account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def test_what_is_signed_is_valid_and_what_is_changed_is_not():
    with empty_account() as account:
        kms = account.client("kms")
        key = kms.create_key(KeyUsage="SIGN_VERIFY", KeySpec="RSA_2048")["KeyMetadata"]["KeyId"]
        of_key = {"KeyId": key, "SigningAlgorithm": "RSASSA_PSS_SHA_256"}
        signature = kms.sign(Message=b"a message", **of_key)["Signature"]
        assert kms.verify(Message=b"a message", Signature=signature, **of_key)["SignatureValid"]
        assert kms.get_public_key(KeyId=key)["PublicKey"].startswith(b"0\x82")
        assert not kms.verify(Message=b"another", Signature=signature, **of_key)["SignatureValid"]

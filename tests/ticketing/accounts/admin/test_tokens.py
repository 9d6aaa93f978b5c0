"""Operators look at API tokens and revoke them; only their owners create them."""

from django.test import Client

from tests.ticketing.accounts.admin.conftest import act
from tests.ticketing.accounts.conftest import logged_in
from ticketing.accounts.models import User
from ticketing.accounts.services import create_token

TOKENS = "/admin/accounts/apitoken/"


def test_tokens_are_only_looked_at_and_revoked(ann: User, office: Client, helper: User, now):
    token, _ = create_token(user=ann, name="script", now=now)

    assert office.get(f"{TOKENS}add/").status_code == 403
    assert office.get(f"{TOKENS}{token.pk}/change/").status_code == 200
    assert token.digest not in office.get(f"{TOKENS}{token.pk}/change/").content.decode()

    act(logged_in(helper), "revoke", token, where=TOKENS)
    token.refresh_from_db()
    assert token.revoked_at is None

    act(office, "revoke", token, where=TOKENS)
    token.refresh_from_db()
    assert token.revoked_at

"""Who works in the admin of accounts."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests.making import make_user
from tests.ticketing.accounts.conftest import logged_in
from ticketing.accounts.models import ApiToken, User

PEOPLE = "/admin/accounts/user/"


@pytest.fixture
def office(operator: User) -> Client:
    return logged_in(operator)


@pytest.fixture
def helper(db: None) -> User:
    """Staff who may change people, but is no superuser."""
    user = make_user(email="helper@example.com", is_staff=True)
    names = ["view_user", "change_user", "delete_user", "view_apitoken"]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    return user


def act(client: Client, action: str, *rows: User | ApiToken, where: str = PEOPLE):
    chosen = [row.pk for row in rows]
    return client.post(where, {"action": action, "_selected_action": chosen}, follow=True)

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests.making import make_user
from ticketing.accounts.models import User

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def operator_client(operator: User, client: Client) -> Client:
    """The admin as a superuser sees it, in English."""
    client.force_login(operator, backend=BACKEND)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def viewer_client(db: None) -> Client:
    """Staff who may look at everything and change nothing."""
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client(headers={"accept-language": "en"})
    client.force_login(user, backend=BACKEND)
    return client

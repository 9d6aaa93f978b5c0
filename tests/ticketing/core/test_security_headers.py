"""Headers, cookies and the address for reports."""

import os
import subprocess
import sys

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
PRODUCTION = {
    "DEVELOPMENT": "0",
    "ALLOWED_HOSTS": "tickets.example.com",
    "DATABASE_URL": "postgresql://nobody@%2Fnonexistent/none",
    "EMAIL_FROM": "tickets@example.com",
}
PRINTED = """
from django.conf import settings
print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME)
print(settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_PATH, settings.SESSION_COOKIE_DOMAIN)
print(settings.SECURITY_CONTACT)
"""


def settings_with(**environment: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PRINTED],
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout.splitlines()


def test_cookies_of_a_real_site_belong_to_its_host_alone():
    names, bounds, contact = settings_with(**PRODUCTION)

    assert names == "__Host-sessionid __Host-csrftoken __Host-django_language"
    assert bounds == "True / None"
    assert contact == "mailto:tickets@example.com"


def test_control_plain_http_in_development_has_plain_names(settings):
    assert (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME) == ("sessionid", "csrftoken")


@pytest.mark.parametrize("path", ["/api/v1/me/", "/api/v1/tokens/"])
@pytest.mark.parametrize("role", ["fan", "anonymous"])
def test_what_is_personal_is_not_stored(path, role, fan):
    client = Client()
    if role == "fan":
        client.force_login(fan)

    assert "no-store" in client.get(path).headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/", "/accounts/log-in/", "/api/v1/events/", "/nothing/"])
def test_pages_may_not_use_the_device(path):
    policy = Client().get(path).headers["Permissions-Policy"]

    assert "camera=()" in policy
    assert "geolocation=()" in policy


def test_the_door_has_the_camera(event, operator):
    client = Client()
    client.force_login(operator)

    policy = client.get(f"/door/{event.pk}/").headers["Permissions-Policy"]

    assert "camera=(self)" in policy
    assert "microphone=()" in policy


def test_flaws_are_reported_to_somebody(settings):
    settings.SECURITY_CONTACT = "mailto:safe@example.com"

    answer = Client().get("/.well-known/security.txt")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert fields["Contact"] == "mailto:safe@example.com"
    assert fields["Expires"].endswith("Z")
    assert fields["Canonical"] == f"{settings.SITE_URL}/.well-known/security.txt"

"""One shape for programs, one page for people, one frame for sockets."""

import json

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404
from django.utils import translation
from django_redis.exceptions import ConnectionInterrupted
from kombu.exceptions import OperationalError as BrokerDown
from redis import exceptions as redis_errors
from redis.exceptions import ConnectionError as RedisDown
from redis.exceptions import RedisClusterException
from rest_framework import exceptions as api

from ticketing.core import error_responses, errors
from ticketing.events.errors import GradesMissing


@pytest.mark.parametrize(
    ("exception", "code", "status"),
    [
        (Http404(), "not_found", 404),
        (PermissionDenied(), "not_allowed", 403),
        (SuspiciousOperation(), "invalid_input", 400),
        (OperationalError(), "unavailable", 503),
        (InterfaceError(), "unavailable", 503),
        (RedisDown(), "unavailable", 503),
        (ConnectionInterrupted(None), "unavailable", 503),
        (RedisClusterException("cannot be connected"), "unavailable", 503),
        (api.NotAuthenticated(), "not_logged_in", 401),
        (api.Throttled(wait=7), "too_many_requests", 429),
        (BrokerDown(), "unavailable", 503),
        (api.ParseError(), "invalid_input", 400),
        (api.NotAcceptable(), "invalid_input", 406),
        (api.UnsupportedMediaType("text/csv"), "invalid_input", 415),
        (api.MethodNotAllowed("PUT"), "method_not_allowed", 405),
        (IntegrityError(), "server_error", 500),
        (KeyError("a bug"), "server_error", 500),
        (None, "server_error", 500),
        (GradesMissing(codes="S"), "grades_missing", 409),
    ],
)
def test_every_exception_has_a_meaning(exception, code, status):
    error = error_responses.error_of(exception)

    assert (error.code, error.status) == (code, status)


@pytest.mark.parametrize(
    "outage",
    [
        redis_errors.TimeoutError(),
        redis_errors.BusyLoadingError(),
        redis_errors.MaxConnectionsError(),
        redis_errors.ReadOnlyError(),
        redis_errors.OutOfMemoryError(),
        redis_errors.ResponseError("NOREPLICAS Not enough good replicas to write."),
        redis_errors.ClusterError("TTL exhausted."),
        redis_errors.ClusterDownError("The cluster is down"),
        redis_errors.MasterDownError("Link with MASTER is down"),
        redis_errors.MovedError("1 10.0.0.1:6379"),
        redis_errors.AskError("1 10.0.0.1:6379"),
        redis_errors.TryAgainError(),
        redis_errors.SlotNotCoveredError(),
    ],
    ids=lambda outage: type(outage).__name__,
)
def test_whatever_a_failover_of_redis_raises_is_an_outage_to_try_again_after(outage):
    error = error_responses.error_of(outage)

    assert error.status == 503
    assert error_responses.headers_of(error) == {"Retry-After": "5"}


def test_programs_get_code_message_and_details(rf):
    request = rf.get("/api/v1/events/1/")

    with translation.override("en"):
        response = error_responses.respond(request, GradesMissing(codes="S, A"))

    assert response.status_code == 409
    assert json.loads(response.content) == {
        "code": "grades_missing",
        "message": "The plan uses grades that the event has no price for: S, A.",
        "details": {"codes": "S, A"},
    }


def test_people_get_a_page_with_what_is_so_and_what_to_do(rf):
    request = rf.get("/", headers={"accept": "text/html"})

    with translation.override("en"):
        response = error_responses.respond(request, errors.Unavailable())

    page = response.content.decode()
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "The service is briefly unavailable." in page
    assert "tries again automatically" in page


def test_sockets_get_the_same_as_a_frame():
    assert error_responses.frame(errors.NotFound()) == {
        "type": "error",
        "code": "not_found",
        "message": str(errors.NotFound.message),
        "details": {},
    }


def test_an_outage_tells_no_secrets(rf):
    secret = OperationalError("password authentication failed for user admin")

    response = error_responses.respond(rf.get("/api/"), error_responses.error_of(secret))

    assert b"admin" not in response.content


@pytest.mark.parametrize(
    ("path", "accept", "json"),
    [
        ("/api/v1/x", "text/html", True),
        ("/events/1/", "application/json", True),
        ("/events/1/", "text/html,*/*;q=0.8", False),
        ("/events/1/", "*/*", False),
    ],
)
def test_who_gets_json(rf, path, accept, json):
    assert error_responses.wants_json(rf.get(path, headers={"accept": accept})) is json


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/events/1/?page=2", "/events/1/?page=2"),
        ("http://testserver/gone", ""),
        ("http://testserver//elsewhere.example/", ""),
        ("https://elsewhere.example/events/1/", ""),
        ("", ""),
    ],
)
def test_a_page_leads_back_to_the_page_before(rf, referer, back):
    request = rf.get("/gone", headers={"referer": referer, "host": "testserver"})

    assert error_responses.page_before(request) == back


@pytest.mark.parametrize(
    ("referer", "back"),
    [("http://testserver/orders/A/pay/", "/orders/A/pay/"), ("", "")],
)
def test_after_a_form_the_page_leads_back_to_it_and_switches_the_language_there(rf, referer, back):
    headers = {"referer": referer, "host": "testserver"}
    request = rf.post("/orders/A/pay/", headers=headers)

    with translation.override("en"):
        text = error_responses.respond(request, errors.NotFound()).content.decode()

    assert (">Back</a>" in text) == bool(back)
    assert f'name="next" value="{back or "/"}"' in text
    assert ">한국어</button>" in text


def test_an_error_page_keeps_header_language_and_ways_on(rf):
    headers = {"referer": "http://testserver/events/1/", "host": "testserver"}
    request = rf.get("/gone", headers=headers)

    with translation.override("en"):
        text = error_responses.respond(request, errors.NotFound()).content.decode()

    for part in ('class="wordmark"', 'action="/i18n/setlang/"', 'href="/orders/"', ">Back</a>"):
        assert part in text


@pytest.mark.parametrize(("path", "leads"), [("/admin/console/9/", True), ("/events/9/", False)])
def test_an_error_page_of_the_admin_leads_back_to_the_admin(rf, path, leads):
    with translation.override("en"):
        text = error_responses.respond(rf.get(path), errors.NotFound()).content.decode()

    assert ('<a class="button" href="/admin/">To the admin</a>' in text) is leads


def test_the_main_button_of_an_error_page_leads_back_where_there_is_a_way_back(rf):
    headers = {"referer": "http://testserver/events/1/", "host": "testserver"}

    with translation.override("en"):
        response = error_responses.respond(rf.get("/gone", headers=headers), errors.NotFound())

    assert '<a class="button" href="/events/1/">Back</a>' in response.content.decode()
    assert response.content.decode().count('class="button"') == 1

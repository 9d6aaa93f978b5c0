"""An idle connection is checked without a round trip, and one that was cut is replaced."""

import pytest
from django.db import connection

from tests.wire import traced

pytestmark = pytest.mark.django_db(transaction=True)


def begin_request():
    """What Django does with a kept connection before a request."""
    connection.close_if_unusable_or_obsolete()


def backend():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


@pytest.fixture(autouse=True)
def _kept_connections(monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    connection.close()


def test_an_idle_connection_is_used_without_a_question(tmp_path):
    first = backend()
    begin_request()

    with traced(tmp_path) as wire:
        assert backend() == first

    assert wire.round_trips == 1


def test_one_that_was_cut_is_replaced(terminate):
    first = backend()
    terminate(first)
    begin_request()

    assert backend() != first


def test_control_without_the_check_the_next_statement_fails(terminate, monkeypatch):
    monkeypatch.setattr(connection, "is_usable", lambda: True)
    first = backend()
    terminate(first)
    begin_request()

    with pytest.raises(Exception, match=r"(?i)terminat|closed|lost"):
        backend()
    connection.close()


def test_after_a_failed_statement_the_server_is_asked(tmp_path):
    first = backend()
    connection.errors_occurred = True

    with traced(tmp_path) as wire:
        begin_request()

    assert wire.round_trips == 1
    assert backend() == first


@pytest.fixture
def terminate():
    """Ends a session from another one, and waits until it is gone."""
    other = connection.copy()

    def end(pid):
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    yield end
    other.close()

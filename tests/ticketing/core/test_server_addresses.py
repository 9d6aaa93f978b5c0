"""Addresses with several hosts, in the notations of Django, redis-py and Celery."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from ticketing.core.server_addresses import (
    SentinelAddress,
    celery_options,
    cluster_nodes,
    database_settings,
)


def test_an_address_by_sentinel_names_sentinels_primary_and_database():
    assert SentinelAddress.parse("redis+sentinel://s1:26379,s2/tickets/3") == SentinelAddress(
        (("s1", 26379), ("s2", 26379)), "tickets", 3
    )


def test_passwords_of_servers_and_sentinels_may_differ():
    address = SentinelAddress.parse(
        "redis+sentinel://me:p%40ss@[::1]:5,s2:6/tickets?sentinel_password=x"
    )

    assert address.sentinels == (("::1", 5), ("s2", 6))
    assert address.connection_options() == {"db": 0, "username": "me", "password": "p@ss"}
    assert address.sentinel_password == "x"


@pytest.mark.parametrize(
    "wrong", ["redis+sentinel://s1:1", "redis+sentinel:///x", "redis+sentinel://s1:x/tickets/0"]
)
def test_what_is_no_address_is_refused(wrong):
    with pytest.raises(ImproperlyConfigured):
        SentinelAddress.parse(wrong)


def test_celery_gets_every_sentinel_and_the_name():
    url = "redis+sentinel://:secret@s1:1,s2:2/tickets/3"

    assert SentinelAddress.parse(url).celery_url() == (
        "sentinel://:secret@s1:1/3;sentinel://:secret@s2:2/3"
    )
    assert celery_options(url, 1)["master_name"] == "tickets"
    assert "master_name" not in celery_options("redis://one", 1)


def test_celery_on_a_cluster_is_refused():
    with pytest.raises(ImproperlyConfigured, match="BROKER_URL"):
        celery_options("redis+cluster://c1:1", 1)


def test_a_cluster_may_be_named_by_several_nodes():
    assert cluster_nodes("redis+cluster://:pw@c1:7000,c2,c3:7002") == (
        "redis://:pw@c1:7000",
        [("c2", 6379), ("c3", 7002)],
    )


def test_a_database_url_may_name_several_hosts():
    found = database_settings(
        "postgresql://me:pw@db1:6432,db2:6433/tickets?target_session_attrs=read-write"
    )

    assert (found["HOST"], found["PORT"]) == ("db1,db2", "6432,6433")
    assert (found["USER"], found["PASSWORD"], found["NAME"]) == ("me", "pw", "tickets")
    assert found["OPTIONS"]["target_session_attrs"] == "read-write"


def test_one_host_stays_what_it_was_and_options_win():
    found = database_settings("postgresql://me@%2Frun%2Fpostgres/tickets?connect_timeout=9")

    assert (found["HOST"], found["PORT"]) == ("/run/postgres", "")
    assert found["OPTIONS"]["connect_timeout"] == 9

"""Migrations that work on rows which are there already."""

from importlib import import_module

import pytest
from django.db import connection

from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db


def test_seats_from_before_get_the_distance_that_new_ones_have(event):
    migration = import_module("ticketing.events.migrations.0003_how_far_seats_are").Migration
    created = dict(Seat.objects.values_list("pk", "distance"))
    Seat.objects.update(distance=0)

    with connection.cursor() as cursor:
        cursor.execute(migration.operations[-1].sql)

    assert dict(Seat.objects.values_list("pk", "distance")) == created
    assert len(set(created.values())) > 1

"""A migration that needs downtime is refused by `make lint`, unless it says why it does not."""

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.core.management import call_command
from django.db import models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    CreateModel,
    DeleteModel,
    Migration,
    RemoveField,
    RenameField,
    RunSQL,
)
from django.db.migrations.state import ProjectState

from ticketing.operations.migration_rules import problems

SEAT = CreateModel(
    "Seat",
    [
        ("id", models.BigAutoField(primary_key=True)),
        ("row", models.CharField(max_length=8, null=True)),
        ("number", models.IntegerField()),
    ],
)
INDEX = models.Index(fields=["number"], name="seats_by_number")
POSITIVE = models.CheckConstraint(condition=models.Q(number__gt=0), name="positive")


def found(*operations, **fields) -> list[str]:
    before = ProjectState()
    SEAT.state_forwards("ticketing", before)
    made = type("Migration", (Migration,), {"operations": list(operations), **fields})
    return problems(made("0002_next", "ticketing"), before)


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (RemoveField("seat", "row"), "old processes still use it"),
        (RenameField("seat", "row", "line"), "old processes still use it"),
        (DeleteModel("Seat"), "old processes still use it"),
        (AddField("seat", "x", models.IntegerField(default=0)), "insert rows without it"),
        (AlterField("seat", "row", models.CharField(max_length=8)), "may insert NULL"),
        (AlterField("seat", "number", models.BigIntegerField()), "written anew"),
        (AlterField("seat", "row", models.CharField(max_length=4, null=True)), "written anew"),
        (AddIndex("seat", INDEX), "concurrently"),
        (AddConstraint("seat", POSITIVE), "say why not"),
        (RunSQL("SELECT 1"), "can't be seen here"),
    ],
)
def test_what_breaks_an_old_process_is_found(operation, problem):
    assert len(found(operation)) == 1
    assert problem in found(operation)[0]
    assert found(operation, while_running="The table is empty.") == []


@pytest.mark.parametrize(
    "operation",
    [
        AddField("seat", "x", models.IntegerField(null=True)),
        AddField("seat", "x", models.IntegerField(db_default=0)),
        AlterField("seat", "row", models.CharField(max_length=20, null=True)),
        AddIndexConcurrently("seat", INDEX),
    ],
)
def test_control_what_old_processes_do_not_notice_is_fine(operation):
    assert found(operation) == []


def test_a_new_table_may_have_anything():
    place = CreateModel("Place", [("id", models.BigAutoField(primary_key=True))])

    assert found(place, AddField("place", "x", models.IntegerField(default=0))) == []


def test_no_migration_of_this_release_needs_downtime():
    call_command("check_migrations")

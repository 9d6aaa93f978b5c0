"""People of a rehearsal have nothing of another event, whatever code says."""

from django.db import migrations

# Table and the column of its person; the ids are those of `ticketing.events.models`.
TABLES = {
    "reservations_reservation": "fan_id",
    "reservations_holdrequest": "fan_id",
    "reservations_standbyentry": "fan_id",
    "reservations_ticket": "holder_id",
}
NAME = "people_of_a_rehearsal_stay_in_it"


def add(table, person):
    rule = f"{person} < 100000000000000 OR event_id = {person} - {person} % 1000000"
    return [
        f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {NAME}",
        f"ALTER TABLE {table} ADD CONSTRAINT {NAME} CHECK ({rule}) NOT VALID",
        f"ALTER TABLE {table} VALIDATE CONSTRAINT {NAME}",
    ]


class Migration(migrations.Migration):
    atomic = False  # or the lock of the first statement would be kept while rows are checked
    while_running = "Rows are checked while people read and write; no old process breaks the rule."
    dependencies = [
        ("reservations", "0009_how_long_a_hold_waits"),
        ("ticketing", "0006_rehearsals"),
    ]

    operations = [
        migrations.RunSQL(
            add(table, person), f"ALTER TABLE {table} DROP CONSTRAINT {NAME}"
        )
        for table, person in TABLES.items()
    ]

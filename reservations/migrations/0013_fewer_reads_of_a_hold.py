"""A hold counts a person's seats in one scan, and changes a setting only after it has waited."""

from django.db import migrations

from reservations import sql

FUNCTIONS = {"hold_seats": "1f9c320d3be1b7978f424ebb3681c924123f195869edb186ab51d11ced0f5f19"}


class Migration(migrations.Migration):
    while_running = "The function has the same arguments as before."
    dependencies = [("reservations", "0012_the_pass_and_its_browser")]

    operations = [
        migrations.RunSQL(sql.statement(name), migrations.RunSQL.noop) for name in FUNCTIONS
    ]

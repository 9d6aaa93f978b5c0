"""A hold finds named seats by their ids, also in an event that was made a moment ago."""

from django.db import migrations

from reservations import sql

FUNCTIONS = {"hold_seats": "ad40463139e63d1a857492638269dae6117cb3ea12345902954e0ad75730b70e"}


class Migration(migrations.Migration):
    while_running = "The function has the same arguments as before."
    dependencies = [("reservations", "0016_changes_of_tickets_by_time")]

    operations = [
        migrations.RunSQL(sql.statement(name), migrations.RunSQL.noop) for name in FUNCTIONS
    ]

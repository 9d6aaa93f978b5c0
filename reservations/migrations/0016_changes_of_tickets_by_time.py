"""The audit trail reads its pages by this index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("reservations", "0015_entry_numbers")]

    operations = [
        AddIndexConcurrently("ticketchange", models.Index(fields=["-at", "-id"], name="changes_of_tickets_by_time"))
    ]

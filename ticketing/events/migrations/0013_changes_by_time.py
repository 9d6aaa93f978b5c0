"""The audit trail reads its pages by this index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ticketing", "0012_entry_numbers")]

    operations = [
        AddIndexConcurrently("eventchange", models.Index(fields=["event", "-at", "-id"], name="changes_of_an_event_by_time"))
    ]

"""The audit trail reads its pages by this index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("queue", "0013_export_of_evidence")]

    operations = [
        AddIndexConcurrently("queuechange", models.Index(fields=["queue", "-at", "-id"], name="changes_of_a_queue_by_time"))
    ]

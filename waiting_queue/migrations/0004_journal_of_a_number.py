from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """A journal may be long, and a sale may run: nobody waits for this index."""

    atomic = False

    dependencies = [("queue", "0003_appeals_against_blocks")]

    operations = [
        AddIndexConcurrently(
            "queuejournal",
            models.Index(fields=["event", "number", "id"], name="journal_of_a_number"),
        ),
    ]

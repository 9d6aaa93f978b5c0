"""A rebuild sets numbers aside, so that none that was lost with Redis is given again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queue", "0016_groups_are_moved")]

    operations = [
        migrations.AddField(
            "salequeue",
            "numbers_from",
            models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
    ]

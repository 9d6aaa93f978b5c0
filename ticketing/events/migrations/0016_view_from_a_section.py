"""A section can have a picture of the stage as seen from it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0015_first_event")]

    operations = [
        migrations.AddField(
            "section",
            "view",
            models.ImageField(
                blank=True, db_default="", upload_to="views/", verbose_name="view of the stage"
            ),
        ),
    ]

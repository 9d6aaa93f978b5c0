"""An event can show an age limit that is not checked when tickets are bought."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0016_view_from_a_section")]

    operations = [
        migrations.AddField(
            "event",
            "admission_age",
            models.PositiveSmallIntegerField(
                blank=True,
                help_text="Shown on the event's page, and not checked when tickets are bought.",
                null=True,
                validators=[MinValueValidator(1), MaxValueValidator(99)],
                verbose_name="age limit",
            ),
        ),
    ]

"""Standing tickets can have entry numbers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0011_who_may_buy")]

    operations = [
        migrations.AddField(
            "event",
            "entry_numbers",
            models.CharField(
                choices=[
                    ("none", "no numbers"),
                    ("sale", "in the order of sale"),
                    ("drawn", "drawn after the sale"),
                ],
                db_default="none",
                default="none",
                help_text="For standing sections. Drawn when the sale is closed, or a day before the doors open.",
                max_length=5,
                verbose_name="entry numbers",
            ),
        ),
    ]

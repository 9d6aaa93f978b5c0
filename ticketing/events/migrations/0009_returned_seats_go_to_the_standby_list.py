"""The default for returned seats of new events; existing events keep their policy."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0008_tickets_in_the_mail")]

    operations = [
        migrations.AlterField(
            "event",
            "returns",
            models.CharField(
                choices=[
                    ("at_once", "on sale at once"),
                    ("standby", "offered in order of the standby list"),
                    ("announced", "on sale at an announced time"),
                    ("jittered", "on sale after a random delay"),
                ],
                default="standby",
                help_text="Given back, unpaid or refunded once the sale was sold out.",
                max_length=9,
                verbose_name="seats that come back",
            ),
        ),
    ]

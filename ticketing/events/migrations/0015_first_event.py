"""Events say that they are sold without a line; plans that nobody uses can be edited."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0014_two_person_rule")]

    operations = [
        migrations.AddField(
            "event",
            "without_line",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Everybody can buy at once. An event with a queue ignores this.",
                verbose_name="sold without a line",
            ),
        ),
        migrations.AddField(
            "seatplan",
            "revision",
            models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
    ]

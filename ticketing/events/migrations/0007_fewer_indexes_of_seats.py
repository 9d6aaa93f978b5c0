"""A hold writes to every index of a seat: those that others cover are dropped."""

import django.db.models.deletion
from django.db import migrations, models


def covered(to, verbose_name, **fields):
    return models.ForeignKey(
        to=to, verbose_name=verbose_name, db_index=False, **fields
    )


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0006_rehearsals")]

    operations = [
        migrations.RemoveConstraint("seat", "one_seat_per_place_and_event"),
        migrations.AddConstraint(
            "seat",
            models.UniqueConstraint(
                fields=["place", "event"], name="one_seat_per_place_and_event"
            ),
        ),
        migrations.AlterField(
            "seat",
            "event",
            covered(
                "ticketing.event",
                "event",
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
            ),
        ),
        migrations.AlterField(
            "seat",
            "place",
            covered(
                "ticketing.place",
                "place",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
            ),
        ),
        migrations.AlterField(
            "seat",
            "section",
            covered(
                "ticketing.section",
                "section",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
            ),
        ),
    ]

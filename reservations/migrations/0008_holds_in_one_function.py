"""A hold is a function in the database, and writes to fewer indexes."""

import django.db.models.deletion
from django.db import migrations, models

import reservations.models.reservations
from reservations import sql

# In the order in which they need each other. A change to one of them needs a migration that
# installs it again.
FUNCTIONS = ("lock_person_limit", "choose_best", "choose_places", "hold_seats")


class Migration(migrations.Migration):
    dependencies = [
        ("reservations", "0007_the_language_of_an_offer"),
        ("ticketing", "0007_fewer_indexes_of_seats"),
    ]

    operations = [
        migrations.AlterField(
            "reservation",
            "code",
            models.CharField(
                default=reservations.models.reservations.new_code,
                max_length=12,
                verbose_name="code",
            ),
        ),
        migrations.AddConstraint(
            "reservation",
            models.UniqueConstraint(fields=["code"], name="one_reservation_per_code"),
        ),
        migrations.AlterField(
            "reservation",
            "event",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reservations",
                to="ticketing.event",
                verbose_name="event",
            ),
        ),
        migrations.AlterField(
            "reservedseat",
            "reservation",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
                to="reservations.reservation",
                verbose_name="reservation",
            ),
        ),
        *(
            migrations.RunSQL(sql.statement(name), f"DROP FUNCTION {name}")
            for name in FUNCTIONS
        ),
    ]

"""A hold is a function in the database, and writes to fewer indexes."""

import django.db.models.deletion
from django.db import migrations, models

import reservations.models.reservations
from reservations import sql

# In the order in which they need each other, with the SHA-256 of the file that was installed. A
# change to one of them needs a migration that installs it again and names its new one; a test checks.
FUNCTIONS = {
    "lock_person_limit": "fa15536bd59683f94c93c2b33db1320c9366b03a70e14f220e6c3bc5bc3af549",
    "choose_best": "f1343910b2fc64bf31ff5918293dd6be3d0420754e0d57144f609715e796a875",
    "choose_places": "6d6977b7c5a7a3e4c5dfa7d03b3113e4b14de87709ebf9f43a077afe3d127055",
    "hold_seats": "c338cd43a55b1fbb9f9d2a49feb1b64d1d1d60cb246e0078ba05d511fb827d60",
}


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

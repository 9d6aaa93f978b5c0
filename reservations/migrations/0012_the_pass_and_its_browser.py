"""Of a pass that was taken over by another browser, holds that were let through before are refused."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from reservations import sql

FUNCTIONS = {"hold_seats": "9107de946d1c03ba667f1109a0aac7d202dd3ff10dd843ad5087e6048fedf773"}
# Another list of arguments makes another function: the earlier one goes. Processes of the earlier
# release call the new one without its last arguments.
DROP = """
DROP FUNCTION IF EXISTS hold_seats(
    text, bigint, bigint, integer, bigint[], text, text, boolean, integer, text, text, timestamptz,
    integer, bigint
)
"""


class Migration(migrations.Migration):
    while_running = "Old processes call the new function without its last arguments."
    dependencies = [
        ("reservations", "0011_seats_of_a_party"),
        ("ticketing", "0009_returned_seats_go_to_the_standby_list"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PassMove",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stay", models.CharField(max_length=40)),
                ("moves", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="ticketing.event",
                    ),
                ),
                (
                    "fan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("event", "fan", "stay"), name="one_pass_per_stay"
                    )
                ],
            },
        ),
        migrations.RunSQL(DROP, migrations.RunSQL.noop),
        *(migrations.RunSQL(sql.statement(name), migrations.RunSQL.noop) for name in FUNCTIONS),
    ]

"""A seat can be cancelled while its order keeps the others."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reservations", "0013_fewer_reads_of_a_hold"),
        ("ticketing", "0009_returned_seats_go_to_the_standby_list"),
    ]

    operations = [
        migrations.CreateModel(
            name="CancelledSeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("grade", models.CharField(max_length=8, verbose_name="price grade")),
                ("price", models.PositiveIntegerField(verbose_name="price")),
                ("at", models.DateTimeField(verbose_name="when")),
                (
                    "reservation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cancelled",
                        to="reservations.reservation",
                        verbose_name="reservation",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ticketing.seat",
                        verbose_name="seat",
                    ),
                ),
            ],
            options={
                "verbose_name": "cancelled seat",
                "verbose_name_plural": "cancelled seats",
                "ordering": ["seat_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reservation", "seat"), name="a_seat_is_cancelled_once_per_order"
                    )
                ],
            },
        ),
    ]

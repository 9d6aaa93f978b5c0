"""Entry numbers of standing tickets, and up to which one people may come in."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reservations", "0014_seats_cancelled_alone"),
        ("ticketing", "0012_entry_numbers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "ticket",
            "entry_number",
            models.PositiveIntegerField(blank=True, null=True, verbose_name="entry number"),
        ),
        migrations.CreateModel(
            name="EntryCall",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("upto", models.PositiveIntegerField(verbose_name="called up to")),
                ("at", models.DateTimeField(verbose_name="when")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="who",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="ticketing.event",
                        verbose_name="event",
                    ),
                ),
                (
                    "section",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="ticketing.section",
                        verbose_name="section",
                    ),
                ),
            ],
            options={
                "verbose_name": "call of entry numbers",
                "verbose_name_plural": "calls of entry numbers",
                "ordering": ["event_id", "section_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("event", "section"), name="one_call_per_section"
                    )
                ],
            },
        ),
        migrations.AlterField(
            "checkin",
            "answer",
            models.CharField(
                choices=[
                    ("valid", "valid"),
                    ("used", "already used"),
                    ("wrong_event", "for another event"),
                    ("void", "cancelled"),
                    ("unknown", "not a ticket"),
                    ("not_yet", "too early"),
                ],
                max_length=11,
                verbose_name="answer",
            ),
        ),
    ]

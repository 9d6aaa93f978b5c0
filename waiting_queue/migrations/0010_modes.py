"""One mode instead of a flag for the draw; a draw of each minute's newcomers.

`shuffle_lobby` stays for processes of the previous release that still run.
"""

import django.db.models.deletion
from django.db import migrations, models


def fill_mode(apps, schema_editor):
    queues = apps.get_model("queue", "SaleQueue").objects
    queues.filter(shuffle_lobby=False).update(mode="first_come")


def fill_flag(apps, schema_editor):
    queues = apps.get_model("queue", "SaleQueue").objects
    queues.filter(mode="first_come").update(shuffle_lobby=False)


class Migration(migrations.Migration):
    while_running = "Queues are few; old processes go on with shuffle_lobby."
    dependencies = [("queue", "0009_parties_bypasses_and_demotions")]

    operations = [
        migrations.AddField(
            "salequeue",
            "mode",
            models.CharField(
                choices=[
                    ("first_come", "first come, first served"),
                    ("draw", "lobby, then draw"),
                    ("minute_draw", "draw all along, every minute"),
                    ("passthrough", "no line, everyone comes in"),
                    ("closed", "nobody comes in"),
                ],
                db_default="draw",
                default="draw",
                help_text="How people get their places. Whoever comes after a draw is behind it.",
                max_length=11,
                verbose_name="mode",
            ),
        ),
        migrations.AddField(
            "salequeue",
            "minute_secrets",
            models.CharField(blank=True, db_default="", default="", editable=False, max_length=400),
        ),
        migrations.AlterField(
            "salequeue",
            "shuffle_lobby",
            models.BooleanField(
                db_default=True, default=True, editable=False, verbose_name="draw the lobby by lot"
            ),
        ),
        migrations.CreateModel(
            name="MinuteDraw",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("minute", models.PositiveIntegerField(verbose_name="minute")),
                ("at", models.DateTimeField(verbose_name="when")),
                ("first_number", models.BigIntegerField(verbose_name="first number")),
                ("size", models.PositiveIntegerField(verbose_name="people")),
                ("people", models.JSONField(null=True, verbose_name="people")),
                ("entries_sha256", models.CharField(blank=True, max_length=64, verbose_name="hash of the entries")),
                ("secret", models.CharField(blank=True, max_length=64, verbose_name="secret")),
                ("seed", models.CharField(blank=True, max_length=64, verbose_name="seed")),
                ("finished_at", models.DateTimeField(null=True, verbose_name="finished")),
                (
                    "queue",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="minute_draws",
                        to="queue.salequeue",
                        verbose_name="queue",
                    ),
                ),
            ],
            options={
                "verbose_name": "draw of a minute",
                "verbose_name_plural": "draws of minutes",
                "ordering": ["queue_id", "minute"],
                "constraints": [
                    models.UniqueConstraint(fields=("queue", "minute"), name="a_minute_is_drawn_once")
                ],
            },
        ),
        migrations.RunPython(fill_mode, fill_flag),
    ]

"""The secrets of draws are encrypted, and no longer there in plain text.

A process of the previous release that still runs reads empty columns: it can't draw, and the draw waits for a
process of this release.
"""

import django.core.validators
from django.db import migrations, models

import waiting_queue.models
from waiting_queue.models import DrawSecrets

ONE_PLAIN_LINE = django.core.validators.RegexValidator(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]",
    "Write one line, without control characters.",
    code="control_characters",
    inverse_match=True,
)


def encrypt_secrets(apps, schema_editor):
    for queue in apps.get_model("queue", "SaleQueue").objects.filter(draw_secrets=""):
        queue.draw_secrets = DrawSecrets(queue.seed, queue.salt).encrypted()
        queue.seed = queue.salt = ""
        queue.save(update_fields=["draw_secrets", "seed", "salt"])
    # These have no order yet, so they follow the new rule.
    apps.get_model("queue", "QueueDraw").objects.filter(people__isnull=True).update(seed="")


def decrypt_secrets(apps, schema_editor):
    for queue in apps.get_model("queue", "SaleQueue").objects.exclude(draw_secrets=""):
        opened = DrawSecrets.decrypt(queue.draw_secrets)
        queue.seed, queue.salt, queue.draw_secrets = opened.secret, opened.salt, ""
        queue.save(update_fields=["draw_secrets", "seed", "salt"])
    draws = apps.get_model("queue", "QueueDraw").objects.filter(people__isnull=True)
    for draw in draws.select_related("queue"):
        draw.seed = draw.queue.seed
        draw.save(update_fields=["seed"])


def public_value(label):
    return models.CharField(
        blank=True, db_default="", default="", editable=False, max_length=200,
        validators=[ONE_PLAIN_LINE], verbose_name=label,
    )  # fmt: skip


class Migration(migrations.Migration):
    while_running = "Old processes do not draw, the lobby waits: docs/operations.md says not to update at an opening."
    dependencies = [("queue", "0005_admission_follows_the_stock")]

    operations = [
        migrations.AddField(
            "salequeue",
            "draw_secrets",
            models.CharField(
                db_default="",
                default=waiting_queue.models.new_draw_secrets,
                editable=False,
                max_length=400,
            ),
        ),
        migrations.AddField(
            "salequeue", "public_value_source", public_value("public value that is announced")
        ),
        migrations.AddField("salequeue", "public_value", public_value("public value")),
        migrations.AlterField(
            "salequeue",
            "seed",
            models.CharField(db_default="", default="", editable=False, max_length=64),
        ),
        migrations.AlterField(
            "salequeue",
            "salt",
            models.CharField(db_default="", default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            "queuedraw",
            "lobby_sha256",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=64,
                verbose_name="hash of the lobby",
            ),
        ),
        migrations.AlterField(
            "queuedraw",
            "seed",
            models.CharField(blank=True, default="", max_length=64, verbose_name="seed"),
        ),
        migrations.RunPython(encrypt_secrets, decrypt_secrets),
        migrations.AddConstraint(
            "queuedraw",
            models.CheckConstraint(
                condition=models.Q(people__isnull=True) | ~models.Q(seed="") | ~models.Q(lobby_sha256=""),
                name="nothing_is_drawn_without_a_seed",
            ),
        ),
    ]

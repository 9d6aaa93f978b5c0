"""Fixed fees beside percentages; each payment keeps the terms it was begun under.

A refund may be of some seats only, whose fees are kept of what is left.
"""

import django.contrib.postgres.fields
import payments.models.policies
from django.db import migrations, models

# Orders of shows to come keep their event's terms, or those that were the default until now.
KEEP_TERMS = """
UPDATE payments_payment AS payment
SET terms = jsonb_build_object(
    'free_days', coalesce(policy.free_days, 7), 'free_hours', 0, 'near_days', 0,
    'tiers', coalesce(policy.tiers, '[[10, 10], [3, 20], [1, 30]]'::jsonb)
)
FROM reservations_reservation AS reservation
JOIN ticketing_event AS event ON event.id = reservation.event_id
LEFT JOIN payments_refundpolicy AS policy ON policy.event_id = event.id
WHERE reservation.id = payment.reservation_id AND event.starts_at > now()
"""


class Migration(migrations.Migration):
    while_running = "Payments wait while their rows are read once; orders without terms have their event's."
    dependencies = [("payments", "0002_under_way_is_looked_at")]

    operations = [
        migrations.AddField(
            "payment", "terms", models.JSONField(editable=False, null=True)
        ),
        migrations.RunSQL(KEEP_TERMS, migrations.RunSQL.noop),
        migrations.AddField(
            "refundpolicy",
            "free_hours",
            models.PositiveSmallIntegerField(
                db_default=24,
                default=24,
                help_text="Hours after the order in which cancelling is free also nearer to the show.",
                verbose_name="free hours",
            ),
        ),
        migrations.AddField(
            "refundpolicy",
            "near_days",
            models.PositiveSmallIntegerField(
                db_default=3,
                default=3,
                help_text="The free hours count only while the show is more than so many days away.",
                verbose_name="free hours end",
            ),
        ),
        migrations.AlterField(
            "refundpolicy",
            "tiers",
            models.JSONField(
                default=payments.models.policies.usual_tiers,
                help_text="What is kept of each ticket, by days before the show.",
                validators=[payments.models.policies.check_tiers],
                verbose_name="fees",
            ),
        ),
        migrations.AddField(
            "payment",
            "fees",
            models.PositiveBigIntegerField(db_default=0, default=0, verbose_name="fees kept"),
        ),
        migrations.AddField(
            "refund",
            "seats",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                blank=True,
                db_default=[],
                default=list,
                size=None,
                verbose_name="seats",
            ),
        ),
        migrations.AddConstraint(
            "payment",
            models.CheckConstraint(
                condition=models.Q(("fees__lte", models.F("charged") - models.F("refunded"))),
                name="fees_are_kept_of_what_is_left",
            ),
        ),
    ]

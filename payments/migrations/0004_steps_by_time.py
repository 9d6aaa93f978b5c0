"""The audit trail reads its pages by this index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("payments", "0003_terms_of_each_order")]

    operations = [
        AddIndexConcurrently("paymentstep", models.Index(fields=["-at", "-id"], name="payment_steps_by_time"))
    ]

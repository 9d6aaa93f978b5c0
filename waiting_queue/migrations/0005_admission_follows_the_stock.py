"""An empty stock factor now means that admission follows the stock; only the help text changes."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queue", "0004_journal_of_a_number")]

    operations = [
        migrations.AlterField(
            "salequeue",
            "stock_factor",
            models.FloatField(
                blank=True,
                default=None,
                help_text=(
                    "So many people inside per free seat. "
                    "Empty: by how many seats people take."
                ),
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1000),
                ],
                verbose_name="stock factor",
            ),
        ),
    ]

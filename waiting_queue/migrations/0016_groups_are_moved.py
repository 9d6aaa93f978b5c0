"""The system moves groups to the end of a line, unless an operator switches that off."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queue", "0015_sales_without_a_line")]

    operations = [
        migrations.AddField(
            "salequeue",
            "moves_groups",
            models.BooleanField(
                db_default=True,
                default=True,
                help_text="The system moves many new accounts of one network to the end, "
                "until they verify.",
                verbose_name="move groups",
            ),
        ),
    ]

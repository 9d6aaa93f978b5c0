"""Announced events without a queue go on opening by the clock, as they were announced."""

from typing import Any

from django.db import migrations


def mark_sales_without_a_line(apps: Any, schema_editor: Any) -> None:
    events = apps.get_model("ticketing", "Event").objects.filter(state="announced")
    lines = apps.get_model("queue", "SaleQueue").objects.values("pk")
    events.exclude(pk__in=lines).update(without_line=True)


class Migration(migrations.Migration):
    dependencies = [("ticketing", "0015_first_event"), ("queue", "0014_changes_by_time")]
    while_running = "It sets a new column of a few rows, which processes of the release before ignore."

    operations = [
        migrations.RunPython(mark_sales_without_a_line, migrations.RunPython.noop, elidable=True)
    ]

"""Whoever was called as one of a party shares its limit: a hold counts the seats of all of them."""

from django.db import migrations, models

from reservations import sql

FUNCTIONS = {"hold_seats": "b1c16d387bdbd45a253b2acb342da58ef6eda5559b901c74323ab9e650f56a66"}
# Another list of arguments makes another function: the earlier one goes. Processes of the earlier
# release call the new one without its last argument.
DROP = """
DROP FUNCTION IF EXISTS hold_seats(
    text, bigint, bigint, integer, bigint[], text, text, boolean, integer, text, text, timestamptz,
    integer
)
"""


class Migration(migrations.Migration):
    while_running = "As in 0009; the index is empty, and takes one read of the table."
    dependencies = [("reservations", "0010_people_of_rehearsals")]

    operations = [
        migrations.AddField(
            "holdrequest", "party", models.BigIntegerField(editable=False, null=True)
        ),
        migrations.AddField(
            "reservation", "party", models.BigIntegerField(editable=False, null=True)
        ),
        migrations.AddIndex(
            "reservation",
            models.Index(
                condition=models.Q(("party__isnull", False)),
                fields=["event", "party"],
                name="reservations_of_a_party",
            ),
        ),
        migrations.RunSQL(DROP, migrations.RunSQL.noop),
        *(migrations.RunSQL(sql.statement(name), migrations.RunSQL.noop) for name in FUNCTIONS),
    ]

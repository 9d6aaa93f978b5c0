"""A hold says how long it waits for locked rows; without it, as before, half a second."""

from django.db import migrations

from reservations import sql

FUNCTIONS = {"hold_seats": "2d02b7cf6433b41936b6aef557bb4cd409427843af0b127b6e4f50eee6f02c29"}
# Another list of arguments makes another function: the earlier one goes. Processes of the earlier
# release call the new one without its last argument.
DROP = """
DROP FUNCTION IF EXISTS hold_seats(
    text, bigint, bigint, integer, bigint[], text, text, boolean, integer, text, text, timestamptz
)
"""


class Migration(migrations.Migration):
    while_running = "Old processes call the new function without its last arguments."
    dependencies = [("reservations", "0008_holds_in_one_function")]

    operations = [
        migrations.RunSQL(DROP, migrations.RunSQL.noop),
        *(migrations.RunSQL(sql.statement(name), migrations.RunSQL.noop) for name in FUNCTIONS),
    ]

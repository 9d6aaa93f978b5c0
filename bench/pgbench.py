"""PostgreSQL alone: the SQL of a hold run by pgbench, without Python and HTTP."""

import re
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

from reservations import locks

TPS = re.compile(r"tps = ([\d.]+)")
# The arguments of the database's `hold_seats`, in order.
VALUES = (
    *("'seats'", ":event", ":fan", "1", "ARRAY[:seat]::bigint[]"),
    *("''", "''", "false", "NULL", "substr(md5(random()::text || :seat), 1, 10)", "''", "now()"),
    *("3000", "NULL", "'e1.1'", "0"),
)


def holds_per_second(
    binary: Path,
    database_url: str,
    *,
    event: int,
    first_fan: int,
    first_seat: int,
    sessions: int,
    holds_each: int,
    seats_per_person: int,
) -> float:
    """Holds per second of seats and people in order of their ids.

    A session's first hold plans its statements, which takes as long as 25 holds: `holds_each` must
    be many.
    """
    with NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(_script())
        script.flush()
        variables = {"event": event, "first_fan": first_fan, "first_seat": first_seat}
        variables |= {"sessions": sessions, "each": seats_per_person, "turn": 0}
        defined = [f"-D{name}={value}" for name, value in variables.items()]
        options = ["-n", "-M", "prepared", "-f", script.name]
        options += ["-c", str(sessions), "-j", "2", "-t", str(holds_each)]
        command = [str(binary), *options, *defined, database_url]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found = TPS.search(ran.stdout)
    assert found, ran.stdout
    return float(found[1])


def _script() -> str:
    """What `locks.ahold_seats` sends; pgbench prepares it once per connection."""
    return "\n".join(
        [
            "\\set seat :first_seat + :client_id + :sessions * :turn",
            "\\set fan :first_fan + :client_id + :sessions * (:turn / :each)",
            "\\set turn :turn + 1",
            locks.HOLD.format(", ".join(VALUES)) + ";",
        ]
    )

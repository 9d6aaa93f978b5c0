"""PostgreSQL alone: the SQL of a hold run by pgbench, without Python and HTTP."""

import re
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

from reservations import locks, sql
from reservations.sql.prepared import prepared_forms

TPS = re.compile(r"tps = ([\d.]+)")
VALUES = {
    "event": ":event",
    "fan": ":first_fan + :client_id",
    "seats": "ARRAY[:seat]",
    "quantity": "1",
    "code": "substr(md5(random()::text || :seat), 1, 10)",
    "key": "''",
    "now": "now()",
    "lock_timeout": f"'{locks.LOCK_TIMEOUT}'",
}


def holds_per_second(
    binary: Path, database_url: str, *, event: int, first_fan: int, first_seat: int, sessions: int
) -> float:
    """Holds per second; each session holds different seats. Fails if a hold is refused."""
    with NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(_script())
        script.flush()
        variables = {"event": event, "first_fan": first_fan, "first_seat": first_seat}
        variables |= {"sessions": sessions, "turn": 0}
        defined = [f"-D{name}={value}" for name, value in variables.items()]
        options = ["-n", "-f", script.name, "-c", str(sessions), "-j", "2", "-t", "100"]
        command = [str(binary), *options, *defined, database_url]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found = TPS.search(ran.stdout)
    assert found, ran.stdout
    return float(found[1])


def _script() -> str:
    """The statements of `locks.hold_seats`: prepared once per connection, then one round trip."""
    choice = sql.statement("choose_seats").rstrip()
    hold = sql.statement("hold_seats").replace("{choice}", choice)
    _name, prepare, execute = prepared_forms(hold)
    before = _filled(locks.SET_LOCK_TIMEOUT + sql.statement("lock_person_limit")).strip()
    return "\n".join(
        [
            *("\\if :turn = 0", _one_line(prepare) + ";", "\\endif"),
            "\\set seat :first_seat + :client_id + :sessions * :turn",
            "\\set turn :turn + 1",
            _one_line(before).replace(";", " \\;") + " " + _one_line(_filled(execute)),
        ]
    )


def _filled(statement: str) -> str:
    return re.sub(r"%\((\w+)\)s", lambda found: VALUES[found[1]], statement)


def _one_line(statement: str) -> str:
    return " ".join(line.partition("--")[0].strip() for line in statement.splitlines()).strip()

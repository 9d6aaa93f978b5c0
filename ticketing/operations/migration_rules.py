"""Which migrations can be applied while processes of the release before still run.

They insert, read and lock as before, on the new schema. A migration that breaks a rule for a reason
says it in `while_running`. Those of earlier releases are not judged again.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED

RELEASED = Path(__file__).with_name("released_migrations.json")
OURS = ("accounts", "ticketing", "queue", "reservations", "payments", "console", "rehearsal")
REMOVALS = (
    migrations.DeleteModel,
    migrations.RemoveField,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)
LOCKS = (migrations.AddIndex, migrations.AddConstraint, migrations.AlterUniqueTogether)
OPAQUE = (migrations.RunSQL, migrations.RunPython)


def released() -> set[tuple[str, str]]:
    names: list[str] = json.loads(RELEASED.read_text())
    return {(app, name) for app, _, name in (each.partition(".") for each in names)}


def record_release() -> int:
    """From now on the migrations that are there are those of an earlier release."""
    names = sorted(
        f"{app}.{name}" for app, name in MigrationLoader(None).graph.nodes if app in OURS
    )
    RELEASED.write_text(json.dumps(names, indent=0) + "\n")
    return len(names)


def unreleased_problems() -> list[str]:
    loader = MigrationLoader(None)
    new = [key for key in loader.graph.nodes if key[0] in OURS and key not in released()]
    found: list[str] = []
    for key in sorted(new):
        before = loader.project_state([key], at_end=False)
        found += problems(loader.get_migration(*key), before)
    return found


def problems(migration: Migration, before: ProjectState) -> list[str]:
    """What would break, or be blocked in, a process of the release before."""
    if getattr(migration, "while_running", ""):
        return []
    app, found, created = migration.app_label, [], set()
    state = before.clone()
    for operation in migration.operations:
        if isinstance(operation, migrations.CreateModel):
            created.add(operation.name_lower)
        elif getattr(operation, "model_name_lower", "") not in created:
            found += [
                f"{app}.{migration.name}: {operation.describe()}: {problem}"
                for problem in _problems(operation, app, state)
            ]
        operation.state_forwards(app, state)
    return found


def _problems(operation: Operation, app: str, state: ProjectState) -> Iterator[str]:
    if isinstance(operation, REMOVALS):
        yield "old processes still use it; remove it one release after the code that did"
    elif isinstance(operation, migrations.AddField):
        if not _may_be_left_out(operation.field):
            yield "old processes insert rows without it; give it db_default, or null=True"
    elif isinstance(operation, migrations.AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        yield from _alterations(before, operation.field)
    elif isinstance(operation, AddIndexConcurrently):
        return
    elif isinstance(operation, LOCKS):
        yield "it reads the table while nobody can write; build it concurrently, or say why not"
    elif isinstance(operation, OPAQUE):
        yield "what it does to running processes can't be seen here"


def _may_be_left_out(field: models.Field) -> bool:
    return field.null or field.many_to_many or field.db_default is not NOT_PROVIDED


def _alterations(before: models.Field, after: models.Field) -> Iterator[str]:
    if before.null and not after.null:
        yield "old processes may insert NULL"
    if before.is_relation or after.is_relation:
        return  # its type is that of the key of another table
    old, new = before.db_type(connection), after.db_type(connection)
    grows = (after.max_length or 0) >= (before.max_length or 0)
    if old != new and not (_is_text(old) and _is_text(new) and grows):
        yield f"{old} becomes {new}: the table is written anew while nobody can read it"


def _is_text(column: str | None) -> bool:
    return (column or "").startswith(("varchar", "text"))

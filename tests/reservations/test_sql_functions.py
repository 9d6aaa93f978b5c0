"""The functions in the database are those of the files, there and on every site.

A migration installs a file as it is when the migration runs. A file that is changed later reaches
new databases only, so every change needs a migration that installs it again.
"""

from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from django.db import connection

from reservations import migrations, sql


def files():
    """The text of each file that makes a function."""
    texts = {path.stem: path.read_text() for path in Path(sql.FOLDER).glob("*.sql")}
    return {name: text for name, text in texts.items() if "CREATE OR REPLACE FUNCTION" in text}


def installed_hashes():
    """For each function the hash that the last migration names which installs it."""
    names = sorted(module.name for module in iter_modules(migrations.__path__))
    modules = [import_module(f"{migrations.__name__}.{name}") for name in names]
    found = {}
    for module in modules:
        found |= getattr(module, "FUNCTIONS", {})
    return found


def changed_since(texts, hashes):
    return {
        name for name, text in texts.items() if sha256(text.encode()).hexdigest() != hashes[name]
    }


def test_no_function_was_changed_without_a_migration_that_installs_it():
    assert files().keys() == installed_hashes().keys()
    assert changed_since(files(), installed_hashes()) == set()


def test_control_a_changed_file_is_found():
    changed = files() | {"hold_seats": files()["hold_seats"].replace("500ms", "501ms")}

    assert changed_since(changed, installed_hashes()) == {"hold_seats"}


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(installed_hashes()))
def test_the_function_in_the_database_is_the_one_in_the_file(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [name])
        sources = [source for (source,) in cursor.fetchall()]

    assert len(sources) == 1
    assert sources[0] in sql.statement(name)

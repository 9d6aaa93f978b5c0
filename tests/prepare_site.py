"""`python -m tests.prepare_site`: migrates the database and collects the static files."""

import gc
from multiprocessing import get_context

import django
from django.core.management import call_command

if __name__ == "__main__":
    gc.disable()  # to look for garbage takes a fifth of a migration
    django.setup()
    quiet = {"interactive": False, "verbosity": 0}
    files = get_context("fork").Process(target=call_command, args=("collectstatic",), kwargs=quiet)
    files.start()
    call_command("migrate", **quiet)
    files.join()
    raise SystemExit(files.exitcode)

#!/usr/bin/env python
"""Everything an operator or a developer starts from the shell."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from ticketing.development.embedded.errors import CannotRun

    try:
        if sys.argv[1:] == ["up"]:  # only watches others: it need not load the whole site itself
            from ticketing.development.management.commands.up import run_site

            run_site()
        if sys.argv[1:] == ["version"]:  # Django's own command tells only Django's
            from ticketing.operations.versions import TEXT

            print(TEXT)  # noqa: T201
            return
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, CannotRun) as mistake:
        sys.exit(f"✗ {mistake}")


if __name__ == "__main__":
    main()

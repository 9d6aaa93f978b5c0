"""Runs management commands and returns what they print."""

from io import StringIO

from django.core.management import call_command


def run(*args: object, **options: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*map(str, args), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()

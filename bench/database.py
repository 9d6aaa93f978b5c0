"""The database of a benchmark."""


def prepare_database() -> None:
    """Load Django and create the tables; the environment names the database."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)

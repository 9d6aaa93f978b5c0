from reservations.admin import reservations, tickets  # noqa: F401 - register themselves

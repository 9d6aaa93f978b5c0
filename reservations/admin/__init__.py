from reservations.admin import reservations, standby, tickets  # noqa: F401 - register themselves

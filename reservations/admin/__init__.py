from reservations.admin import reservations, standby, tickets

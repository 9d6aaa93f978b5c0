from reservations.views.baskets import basket, give_back, leave
from reservations.views.holding import hold_best, hold_places, hold_seats
from reservations.views.seats import seats, section

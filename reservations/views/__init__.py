from reservations.views.basket import basket, give_back, leave
from reservations.views.holds import hold
from reservations.views.seats import seats, section

from reservations.views.basket import basket, give_back, leave
from reservations.views.holds import hold, take_over
from reservations.views.seats import seats, section

"""What the database itself refuses, whatever the code says."""

import pytest
from django.db import IntegrityError, transaction

from payments.models import Payment


@pytest.mark.usefixtures("paying_site")
@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"state": "lost"}, "a_payment_is_in_a_known_state"),
        ({"fees": 1}, "fees_are_kept_of_what_is_left"),  # nothing was charged yet
    ],
)
def test_a_payment_makes_sense(buyer, wrong, constraint):
    buyer.start()

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Payment.objects.update(**wrong)

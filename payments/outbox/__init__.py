"""Messages that are written with a change and delivered later (`services/outbox_delivery.py`)."""

from payments.outbox.messages import (
    OFFER_MISSED,
    PAYMENT_FAILED,
    REFUNDED,
    RESERVATION_CANCELLED,
    RESERVATION_CONFIRMED,
    SEATS_CANCELLED,
    SEATS_OFFERED,
    TAKEN_OFF_STANDBY,
    add,
    on_offer_missed,
    on_seats_offered,
    on_taken_off_standby,
    on_ticket_news,
)

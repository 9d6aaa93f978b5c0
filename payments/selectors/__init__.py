from payments.selectors.cancellation_terms import FeePeriod, fee_percent, fee_periods, policy_of
from payments.selectors.orders import (
    Order,
    as_orders,
    is_auto_refunded,
    own_order,
    own_orders,
    own_payment_with_order,
)
from payments.selectors.payments import (
    PAID,
    breaker_state,
    cancelled_payment,
    confirmed_of_day,
    day_bounds,
    dead_messages,
    outbox_counts,
    own_payment,
    payment,
    payment_ids,
    payments_of_day,
    unknown_numbers,
    uses_sandbox,
)
from payments.selectors.refunds import (
    cancelled_events_to_refund,
    open_refund,
    refund_progress,
    refundable_payments,
    refunds_of_cancelled_events,
)

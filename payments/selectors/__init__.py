from payments.selectors.cancellation_terms import (
    FeePeriod,
    FeeRate,
    fee_periods,
    fee_rate,
    policy_of,
    policy_of_payment,
)
from payments.selectors.orders import (
    Order,
    is_auto_refunded,
    orders_by_id,
    own_order,
    own_order_ids,
    own_payment_with_order,
)
from payments.selectors.payments import (
    PAID,
    breaker_state,
    cancelled_payment,
    confirmed_of_day,
    day_bounds,
    dead_messages,
    is_probe_due,
    outbox_counts,
    own_payment,
    payment,
    payment_ids,
    payments_begun_before,
    payments_of_day,
    unknown_numbers,
    uses_sandbox,
)
from payments.selectors.refunds import (
    approved_refunds,
    cancelled_events_to_refund,
    has_refunds_under_way,
    open_refund,
    refund_progress,
    refundable_payments,
    refunds_of_cancelled_events,
)

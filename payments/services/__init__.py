from payments.saga.schedule import settle_soon
from payments.services.cancellations import CancellationTerms, cancel_order, cancellation_terms
from payments.services.checkout import (
    abort_payment,
    begin_payment,
    checkout_parameters,
    confirm_payment,
)
from payments.services.differences import Difference
from payments.services.outbox_delivery import deliver_messages, revive_message
from payments.services.reconciliation import reconcile
from payments.services.refunds import (
    refund_cancelled_events,
    refund_event,
    refund_event_batch,
    refund_payment,
)
from payments.services.settlement import claim_due_payments, settle_by_operator, settle_payment
from payments.services.webhooks import receive_webhook

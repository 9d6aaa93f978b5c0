from payments.saga.schedule import settle_soon
from payments.services.async_settlement import (
    claim_due_payments,
    settle_by_operator,
    start_cancellation,
    start_due_settlements,
    start_refund,
    start_refunds_of_cancelled_events,
    start_settlement_by_operator,
)
from payments.services.cancellations import (
    CancellationTerms,
    acancel_order,
    cancel_order,
    cancellation_terms,
    terms_of_order,
)
from payments.services.checkout import (
    aabort_payment,
    abegin_payment,
    abort_payment,
    aconfirm_payment,
    aprepare_payment,
    astart_payment,
    begin_payment,
    checkout_parameters,
    confirm_payment,
    prepare_payment,
    start_payment,
)
from payments.services.differences import Difference
from payments.services.identities import averify_identity, new_verification
from payments.services.outbox_delivery import deliver_messages, revive_message
from payments.services.reconciliation import areconcile, mend_payment, reconcile, reconcile_earlier
from payments.services.refunds import (
    refund_approved_events,
    refund_cancelled_events,
    refund_event,
    refund_event_batch,
    refund_payment,
)
from payments.services.settlement import settle_payment
from payments.services.webhooks import receive_webhook

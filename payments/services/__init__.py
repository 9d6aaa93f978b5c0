from payments.gateways import moves_no_money
from payments.saga import look_soon
from payments.services.cancelling import CancelTerms, cancel_by_fan, cancel_terms
from payments.services.delivering import deliver_messages, revive_message
from payments.services.differences import Difference
from payments.services.paying import checkout_of, confirm, start, turn_back
from payments.services.reconciling import reconcile
from payments.services.refunding import (
    refund,
    refund_cancelled_events,
    refund_event,
    refund_event_batch,
)
from payments.services.settling import claim_due_payments, resume_by_operator, settle
from payments.services.webhooks import receive_webhook

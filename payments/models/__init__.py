from payments.models.messages import OutboxMessage, WebhookReceipt
from payments.models.payments import Payment, PaymentStep, Refund
from payments.models.policies import RefundPolicy

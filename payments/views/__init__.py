from payments.views.checkout import abort, checkout
from payments.views.identities import verified, verify
from payments.views.orders import cancel, order, orders, receipt
from payments.views.payment_window import window
from payments.views.result import result, returned
from payments.views.webhooks import portone_webhook

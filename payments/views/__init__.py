from payments.views.checkouts import checkout, stop
from payments.views.orders import cancel, order, orders, receipt
from payments.views.results import result, returned
from payments.views.webhooks import portone_webhook
from payments.views.windows import window

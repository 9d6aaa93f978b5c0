from payments.sandbox.services.charges import Expected, capture, confirm, settle_charge
from payments.sandbox.services.payment_window import WindowOrder, choose, open_window, pre_register
from payments.sandbox.services.refunds import cancel, settle_refunds
from payments.sandbox.services.verifications import confirm_person, open_verification
from payments.sandbox.services.webhook_delivery import resend

"""What can be done at the sandbox. Every refusal is one of PortOne's."""

from payments.sandbox.services.charging import Expected, capture, confirm, settle_charge
from payments.sandbox.services.refunding import cancel, settle_refunds
from payments.sandbox.services.telling import resend
from payments.sandbox.services.windows import Order, choose, open_window, pre_register

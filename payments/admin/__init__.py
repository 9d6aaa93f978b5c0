from payments.admin import messages, payments, policies

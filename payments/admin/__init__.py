from payments.admin import messages, payments  # noqa: F401 - register themselves

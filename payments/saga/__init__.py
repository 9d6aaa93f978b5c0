"""The transactions of a payment. Each leaves a state from which any process can go on.

Those of a successful purchase are one statement each (`payments/sql/`), without BEGIN and COMMIT.

The gateway is called between these transactions, never inside one; the services do both:

    service                  transaction            gateway call   transaction
    begin_payment            payment_steps.begin    prepare        payment_steps.mark_prepared
    confirm_payment          .start_charge          charge, fetch  .succeed, .fail, .auto_refund
    abort_payment            -                      fetch          .cancel_unpaid
    settle_payment           -                      fetch          any of these, or refund_steps
    refund_payment           refund_steps.begin     refund, fetch  refund_steps.finish, .refuse

A transaction that finds the payment in another state than expected changes nothing and returns
None: another process was faster.
"""

from ticketing.console.services.history import history_of, last_figures
from ticketing.console.services.reconciling import reconcile_day
from ticketing.console.services.roles import grant_roles
from ticketing.console.services.sampling import sample_sales, site_figures

__all__ = [
    "grant_roles",
    "history_of",
    "last_figures",
    "reconcile_day",
    "sample_sales",
    "site_figures",
]

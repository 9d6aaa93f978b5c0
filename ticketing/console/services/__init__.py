from ticketing.console.services.attention import Trouble, attention_for
from ticketing.console.services.history import history_of, last_figures
from ticketing.console.services.preview import KNOBS, Preview, preview_of
from ticketing.console.services.reconciling import reconcile_day
from ticketing.console.services.roles import grant_roles
from ticketing.console.services.sampling import figures_now, sample_sales

__all__ = [
    "KNOBS",
    "Preview",
    "Trouble",
    "attention_for",
    "figures_now",
    "grant_roles",
    "history_of",
    "last_figures",
    "preview_of",
    "reconcile_day",
    "sample_sales",
]

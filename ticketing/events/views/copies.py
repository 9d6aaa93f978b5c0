"""The public pages that are answered from rendered copies."""

from ticketing.accounts.authentication import identify
from ticketing.core.fast_path.pages import Page

PAGES = [
    Page(path="", identify=identify),
    Page(path="events/<int:pk>/", identify=identify),
    Page(path="events/<int:pk>/poster.svg", seconds=3600),  # drawn from the id alone
]

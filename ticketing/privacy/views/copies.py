"""The documents, answered from rendered copies."""

from ticketing.accounts.authentication import identify
from ticketing.core.fast_path.pages import Page

PAGES = [
    Page(path="legal/<slug:kind>/", identify=identify),
    Page(path="legal/<slug:kind>/<int:version>/", identify=identify),
]

"""The pages of privacy."""

from ticketing.privacy.views.deletions import Delete, Deleted
from ticketing.privacy.views.documents import document
from ticketing.privacy.views.exports import Exports, export_file

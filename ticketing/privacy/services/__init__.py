"""What can be done with personal data: export, delete, purge."""

from ticketing.privacy.services.deletions import delete_account, mail_deleted
from ticketing.privacy.services.exports import ask_for_export, export_file, make_export
from ticketing.privacy.services.purges import counts_due, purge

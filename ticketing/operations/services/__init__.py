from ticketing.operations.services.backups import create_backup, delete_old_backups
from ticketing.operations.services.restores import Restored, restore_backup

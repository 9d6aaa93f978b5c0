"""Changes of identities are never edited; they go with a deleted account only."""

from django.db import migrations

FORWARDS = """
CREATE TRIGGER audit_is_final BEFORE UPDATE ON accounts_identitychange
FOR EACH ROW EXECUTE FUNCTION audit_is_final('')
"""


class Migration(migrations.Migration):
    while_running = "Old processes do not know the table."
    dependencies = [
        ("accounts", "0007_verified_identities"),
        ("console", "0002_the_audit_is_final"),
    ]
    operations = [
        migrations.RunSQL(FORWARDS, "DROP TRIGGER audit_is_final ON accounts_identitychange")
    ]

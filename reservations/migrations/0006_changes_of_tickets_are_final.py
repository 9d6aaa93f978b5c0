"""What was written down about tickets stays as it was written."""

from django.db import migrations

FORWARDS = """
CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE ON reservations_ticketchange
FOR EACH ROW EXECUTE FUNCTION audit_is_final('');
"""
BACKWARDS = "DROP TRIGGER audit_is_final ON reservations_ticketchange;"


class Migration(migrations.Migration):
    dependencies = [("reservations", "0005_changes_of_standby_are_final")]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]

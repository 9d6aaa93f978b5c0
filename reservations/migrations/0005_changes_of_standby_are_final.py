"""What was written down about places on standby lists stays as it was written."""

from django.db import migrations

FORWARDS = """
CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE ON reservations_standbychange
FOR EACH ROW EXECUTE FUNCTION audit_is_final('');
"""
BACKWARDS = "DROP TRIGGER audit_is_final ON reservations_standbychange;"


class Migration(migrations.Migration):
    dependencies = [
        ("reservations", "0004_standby_list"),
        ("console", "0002_the_audit_is_final"),
    ]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]

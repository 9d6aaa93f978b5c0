"""A trigger that refuses to change or delete audit rows."""

from django.db import migrations

# Exceptions: the audit rows of a draft may be deleted, and a deleted account loses its name.
FUNCTION = """
CREATE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.by_id IS NULL
     AND to_jsonb(NEW) - 'by_id' = to_jsonb(OLD) - 'by_id' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM ticketing_event
    WHERE id = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint AND state = 'draft'
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is final', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
"""
# Each table with the column that refers to its event.
TABLES = {
    "ticketing_eventchange": "event_id",
    "queue_queuechange": "queue_id",
    "reservations_reservationchange": "",
    "payments_paymentstep": "",
}


def forwards():
    triggers = [
        f"CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION audit_is_final('{column}');"
        for table, column in TABLES.items()
    ]
    return FUNCTION + "\n".join(triggers)


def backwards():
    drops = [f"DROP TRIGGER audit_is_final ON {table};" for table in TABLES]
    return "\n".join([*drops, "DROP FUNCTION audit_is_final();"])


class Migration(migrations.Migration):
    dependencies = [
        ("console", "0001_initial"),
        ("ticketing", "0003_how_far_seats_are"),
        ("queue", "0003_appeals_against_blocks"),
        ("reservations", "0001_initial"),
        ("payments", "0001_initial"),
    ]
    operations = [migrations.RunSQL(forwards(), backwards())]

"""What was written down about a rehearsal goes with it: only then, and only that."""

from django.db import migrations

# The transaction says of which rehearsal it takes the rows away, and the row must be of that one.
FORWARDS = """
CREATE FUNCTION audited_event(name text, line jsonb) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE name
    WHEN 'ticketing_eventchange' THEN (line ->> 'event_id')::bigint
    WHEN 'queue_queuechange' THEN (line ->> 'queue_id')::bigint
    WHEN 'reservations_reservationchange' THEN (
      SELECT event_id FROM reservations_reservation WHERE id = (line ->> 'reservation_id')::bigint)
    WHEN 'reservations_ticketchange' THEN (
      SELECT event_id FROM reservations_ticket WHERE id = (line ->> 'ticket_id')::bigint)
    WHEN 'reservations_standbychange' THEN (
      SELECT event_id FROM reservations_standbyentry WHERE id = (line ->> 'entry_id')::bigint)
    WHEN 'payments_paymentstep' THEN (
      SELECT event_id FROM reservations_reservation AS reservation
      JOIN payments_payment AS payment ON payment.reservation_id = reservation.id
      WHERE payment.id = (line ->> 'payment_id')::bigint)
  END;
END
$$;

CREATE OR REPLACE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rehearsal text := coalesce(current_setting('ticketing.rehearsal_over', true), '');
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
  IF TG_OP = 'DELETE' AND rehearsal <> '' AND EXISTS (
    SELECT FROM ticketing_event
    WHERE id = audited_event(TG_TABLE_NAME, to_jsonb(OLD))
    AND id::text = rehearsal AND rehearsal_of_id IS NOT NULL
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is final', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
"""
BACKWARDS = """
CREATE OR REPLACE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP FUNCTION audited_event(text, jsonb);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rehearsal", "0001_initial"),
        ("ticketing", "0006_rehearsals"),
        ("console", "0002_the_audit_is_final"),
        ("reservations", "0006_changes_of_tickets_are_final"),
        ("payments", "0001_initial"),
    ]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]

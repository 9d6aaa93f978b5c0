"""Whoever bought before there were tickets gets theirs."""

from django.db import migrations
from django.db.models import Exists, OuterRef

from reservations.models import new_code


def issue(apps, schema_editor):
    ReservedSeat = apps.get_model("reservations", "ReservedSeat")
    Ticket = apps.get_model("reservations", "Ticket")
    TicketChange = apps.get_model("reservations", "TicketChange")
    sold = ReservedSeat.objects.filter(
        ~Exists(Ticket.objects.filter(seat=OuterRef("seat"))),
        live=True,
        reservation__state="confirmed",
    )
    for row in sold.select_related("reservation__fan").order_by("id").iterator():
        order = row.reservation
        ticket = Ticket.objects.create(
            code=new_code(),
            reservation=order,
            event_id=order.event_id,
            seat_id=row.seat_id,
            holder_id=order.fan_id,
            name=order.fan.display_name,
            created_at=order.created_at,
        )
        TicketChange.objects.create(
            ticket=ticket, at=order.created_at, what="issued", after=ticket.code
        )


class Migration(migrations.Migration):
    dependencies = [("reservations", "0002_tickets")]

    operations = [migrations.RunPython(issue, migrations.RunPython.noop)]

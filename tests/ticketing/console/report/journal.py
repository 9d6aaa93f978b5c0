"""Writes queue journals for reports."""

from datetime import timedelta

from django.db import connection

from waiting_queue.models import QueueJournal


class Journal:
    """Adds journal entries; `note` can be chained."""

    def __init__(self, queue, start):
        self.queue, self.start, self._entries = queue, start, 0

    def note(self, second, kind, *numbers, person=None):
        for number in numbers:
            self._entries += 1
            QueueJournal.objects.create(
                event_id=self.queue.pk,
                entry=f"test:{self._entries}",
                at=self.start + timedelta(seconds=second),
                person=person or 1_000 + number,
                kind=kind,
                number=number,
            )
        return self


# Everyone joins within two minutes, is called at 500 a second, and comes in a few seconds later.
CROWD = """
INSERT INTO queue_queuejournal (event_id, entry, at, person, kind, number)
SELECT %(event)s, kind || number, %(start)s::timestamptz + second * interval '1 second',
       100000 + number, kind, number
FROM (
    SELECT number, 'join' AS kind, number * 120.0 / %(people)s AS second, 1 AS step
    FROM generate_series(1, %(people)s) AS number
    UNION ALL
    SELECT number, 'ready', 130 + number / 500, 2 FROM generate_series(1, %(people)s) AS number
    UNION ALL
    SELECT number, 'admit', 131 + number / 500 + number %% 7, 3
    FROM generate_series(1, %(people)s) AS number WHERE number %% 10 > 0
    UNION ALL
    SELECT number, CASE WHEN number %% 10 > 0 THEN 'completed' ELSE 'expired' END,
           200 + number / 500, 4
    FROM generate_series(1, %(people)s) AS number
) AS happened
ORDER BY second, step, number
"""


def write_crowd(queue, start, people):
    """Write about four entries for each of many people; return the number of entries."""
    with connection.cursor() as cursor:
        cursor.execute(CROWD, {"event": queue.pk, "start": start, "people": people})
        return cursor.rowcount

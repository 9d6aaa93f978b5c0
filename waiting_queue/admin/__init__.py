"""The admin of queues. Every write calls a service."""

from waiting_queue.admin import groups, lanes, queues, records, waiting_pages

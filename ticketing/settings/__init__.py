"""Settings. Those that differ between deployments come from the environment (docs/knobs.md).

Without DATABASE_URL this is the development setup with the embedded servers of `manage.py up`.
Each module imports what it needs of the others, so it depends on modules above it only.
"""

from ticketing.settings.environment import *
from ticketing.settings.applications import *
from ticketing.settings.web_server import *
from ticketing.settings.database import *
from ticketing.settings.redis import *
from ticketing.settings.celery import *
from ticketing.settings.accounts import *
from ticketing.settings.waiting_queue import *
from ticketing.settings.abuse import *
from ticketing.settings.reservations import *
from ticketing.settings.payments import *
from ticketing.settings.mail import *
from ticketing.settings.files import *
from ticketing.settings.security import *
from ticketing.settings.retention import *
from ticketing.settings.api import *
from ticketing.settings.monitoring import *

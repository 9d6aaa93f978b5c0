"""The web server: address, processes, threads, and what it refuses under load."""

from ticketing.core.site_address import public_url, site_url
from ticketing.settings.environment import ALLOWED_HOSTS, DEVELOPMENT, env

HOST = env.text(
    "HOST", "127.0.0.1", "Address to listen on; 0.0.0.0 means all addresses of this machine."
)
PORT = env.number("PORT", 8000, "Port to listen on; 0 means any free port.")
SITE_URL = env.text(
    "SITE_URL",
    site_url(HOST, PORT) if DEVELOPMENT else public_url(ALLOWED_HOSTS),
    "Public address of this site, with scheme; used for links in mails.",
).rstrip("/")
TRUSTED_PROXIES = env.words(
    "TRUSTED_PROXIES",
    ["127.0.0.1", "::1"],
    "Addresses or networks of proxies whose headers on client address and TLS are trusted.",
)

WEB_PROCESSES = env.number("WEB_PROCESSES", 2, "Server processes that `manage.py up` starts.")
WEB_THREADS = env.number("WEB_THREADS", 8, "Pages that one server process handles at a time.")
FAST_PATH_THREADS = env.number(
    "FAST_PATH_THREADS",
    8,
    "Holds and payments that one server process works on at a time.",
)

OVERLOAD_LAG_MS = env.number(
    "OVERLOAD_LAG_MS",
    1000,
    "Milliseconds that a server process may be late before it asks newcomers to come back.",
)
OVERLOAD_PAGES = env.number(
    "OVERLOAD_PAGES",
    64,
    "Pages that may wait for a thread of a server process before it asks newcomers to come back.",
)

SOCKETS_PER_SECOND = env.number(
    "SOCKETS_PER_SECOND",
    600,
    "Sockets that each server process lets newcomers open in a second, fewer while it is late.",
)
SOCKETS_PER_ADDRESS = env.number(
    "SOCKETS_PER_ADDRESS",
    3_000,
    "Websockets and streams of one address (IPv6: /64) in one server process; 0: no limit.",
)
SOCKETS_PER_SESSION = env.number(
    "SOCKETS_PER_SESSION",
    20,
    "Websockets and streams of one browser session in one server process; 0: no limit.",
)

DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

"""Payments: PortOne, or the sandbox that imitates it."""

import base64
import hmac

from ticketing.settings.environment import PAYMENTS_SANDBOX, SECRET_KEY, env
from ticketing.settings.web_server import PORT

PAYMENTS_SANDBOX_WEBHOOK = env.text(
    "PAYMENTS_SANDBOX_WEBHOOK",
    "/payments/webhooks/portone/",
    "Where the sandbox sends its webhooks: a URL, or a path on this site.",
)
PAYMENTS_SANDBOX_PORT = env.number(
    "PAYMENTS_SANDBOX_PORT",
    0,
    "Port of `manage.py sandbox`; 0: the web processes contain the sandbox.",
)


def _sandbox_secret(name: str) -> str:
    """A secret that is derived from SECRET_KEY, so that it need not be configured."""
    digest = hmac.digest(SECRET_KEY.encode(), f"sandbox {name}".encode(), "sha256")
    return base64.b64encode(digest).decode()


_sandbox = {
    "api_secret": _sandbox_secret("api"),
    "webhook_secret": f"whsec_{_sandbox_secret('webhook')}",
    "store_id": "store-sandbox",
    "channel_key": "channel-key-sandbox-manual",
    "identity_channel_key": "channel-key-sandbox-identity",
}
_portone_defaults = _sandbox if PAYMENTS_SANDBOX else dict.fromkeys(_sandbox, "")

PORTONE_API_SECRET = env.text(
    "PORTONE_API_SECRET", _portone_defaults["api_secret"], "V2 API secret of the PortOne store."
)
PORTONE_WEBHOOK_SECRET = env.text(
    "PORTONE_WEBHOOK_SECRET",
    _portone_defaults["webhook_secret"],
    "Signs PortOne's webhooks, whsec_….",
)
PORTONE_STORE_ID = env.text(
    "PORTONE_STORE_ID", _portone_defaults["store_id"], "The store's id at PortOne."
)
PORTONE_CHANNEL_KEY = env.text(
    "PORTONE_CHANNEL_KEY", _portone_defaults["channel_key"], "The channel to pay through."
)
PORTONE_IDENTITY_CHANNEL_KEY = env.text(
    "PORTONE_IDENTITY_CHANNEL_KEY",
    _portone_defaults["identity_channel_key"],
    "The channel to verify identities through.",
)

PORTONE_URL = env.text(
    "PORTONE_URL",
    f"http://127.0.0.1:{PAYMENTS_SANDBOX_PORT or PORT}/sandbox/portone"
    if PAYMENTS_SANDBOX
    else "https://api.portone.io",
    "Base URL of PortOne's API.",
)
PORTONE_MANUAL_CONFIRM = env.flag(
    "PORTONE_MANUAL_CONFIRM",
    True,
    "Our server triggers the charge; off where the channel charges in the browser.",
)
PORTONE_TAKES_TEST = env.flag(
    "PORTONE_TAKES_TEST",
    PAYMENTS_SANDBOX,
    "Accept payments through PortOne's test channels, which move no money.",
)
PORTONE_PAY_METHOD = env.text(
    "PORTONE_PAY_METHOD", "CARD", "PortOne's payment method: CARD, EASY_PAY, TRANSFER …."
)
PORTONE_SDK_URL = env.text(
    "PORTONE_SDK_URL",
    "https://cdn.portone.io/v2/browser-sdk.js",
    "PortOne's browser script, loaded on the page that opens the payment window.",
)
PORTONE_SDK_HOSTS = env.words(
    "PORTONE_SDK_HOSTS",
    ["https://*.portone.io", "https://*.iamport.co", "https://service.iamport.kr"],
    "Hosts that page may load, call, frame and post to; add those of your card processor.",
)

PORTONE_TIMEOUT = env.number(
    "PORTONE_TIMEOUT", 8, "Seconds for one settlement; after them a worker asks PortOne again."
)
PORTONE_MAX_IN_FLIGHT = env.number(
    "PORTONE_MAX_IN_FLIGHT", 300, "Calls to PortOne that one process makes at a time; others wait."
)
PAYMENT_PATIENCE = env.number(
    "PAYMENT_PATIENCE", 10, "Seconds that a browser waits for a payment before it shows “checking”."
)

"""Who can log in to the demo. Loads nothing of the site."""

PASSWORD = "demo-pass-2026"  # noqa: S105 - public: printed at every start, created in development only
OPERATOR = "operator@example.com"
FANS = {
    "fan@example.com": "김하늘",
    "minji@example.com": "박민지",
    "alex@example.com": "Alex Rivera",
}
DEMO_LOGINS = [(OPERATOR, PASSWORD, "operator"), *((email, PASSWORD, "fan") for email in FANS)]

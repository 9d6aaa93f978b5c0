"""Installed apps, middleware, templates, languages and entry points."""

from django.utils.translation import gettext_lazy as _

from ticketing.settings.environment import BASE_DIR, PAYMENTS_SANDBOX

INSTALLED_APPS = [
    *(["payments.sandbox"] if PAYMENTS_SANDBOX else []),
    "payments",
    "reservations",
    "waiting_queue",
    "ticketing.development",
    "ticketing.events",
    "ticketing.accounts",
    "ticketing.core",
    "ticketing.core.admin.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "ticketing.core.static_files.StaticFilesConfig",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "csp",
    "django_otp",
    "ticketing.console.apps.PhonesConfig",
    "django_otp.plugins.otp_static",
    "ticketing.privacy",
    "ticketing.rehearsal",
    "ticketing.event_setup",
    "ticketing.operations",
    "ticketing.console",  # last: its roles refer to the permissions of all other apps
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "ticketing.core.middleware.HeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "ticketing.core.middleware.InputMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "ticketing.core.middleware.ErrorMiddleware",
    "ticketing.console.middleware.SecondFactor",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ticketing.urls"
ASGI_APPLICATION = "ticketing.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "ticketing.core.template_loader.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ticketing.accounts.context_processors.caller",
                "ticketing.accounts.context_processors.development_mode",
                "ticketing.development.context_processors.demo",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "ko"
LANGUAGES = [("ko", _("Korean")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["ticketing.core.formats"]
TIME_ZONE = "Asia/Seoul"
USE_TZ = True

"""The API and its OpenAPI document."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ticketing.accounts.authentication.TokenAuthentication",
        "ticketing.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ticketing.core.json_input.StrictJsonParser"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 20,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "ticketing.core.error_responses.for_api",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ticketing API",
    "DESCRIPTION": "Events, seats, the waiting queue, reservations and payments.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "EventStatusEnum": "ticketing.events.api.serializers.PUBLIC_STATES",
        "StandingStatusEnum": "waiting_queue.api.serializers.STATUSES",
        "StandingStateEnum": "waiting_queue.api.serializers.STATES",
    },
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "queue_token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A queue token, `qr_…`: of a place in line, or the pass.",
            }
        }
    },
}

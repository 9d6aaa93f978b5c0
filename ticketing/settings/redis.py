"""Redis or Valkey: addresses and Django's cache."""

from ticketing.core.redis_breaker import once_more
from ticketing.core.server_addresses import SENTINEL
from ticketing.development import embedded
from ticketing.settings.environment import VAR_DIR, env

REDIS_URL = env.text(
    "REDIS_URL",
    embedded.addresses(VAR_DIR).redis_url,
    "Redis or Valkey to use, by default the embedded one; redis+sentinel:// for a failover.",
)
QUEUE_REDIS_URL = env.text(
    "QUEUE_REDIS_URL",
    REDIS_URL,
    "Redis of the queue; redis+cluster:// for a Redis Cluster, redis+sentinel:// for a failover.",
)
REDIS_TIMEOUT = env.number(
    "REDIS_TIMEOUT", 1, "Seconds after which an unresponsive Redis counts as down."
)

CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": [REDIS_URL],  # as a list: django-redis splits a string at its commas
        "KEY_PREFIX": "cache",
        "OPTIONS": {
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
            "SOCKET_TIMEOUT": REDIS_TIMEOUT,
            "SOCKET_CONNECT_TIMEOUT": REDIS_TIMEOUT,
            "CONNECTION_POOL_CLASS": (
                "ticketing.core.redis_sentinel.SentinelPool"
                if REDIS_URL.startswith(SENTINEL)
                else "ticketing.core.redis_breaker.BreakerPool"
            ),
            "CONNECTION_POOL_KWARGS": once_more(),
        },
    }
}

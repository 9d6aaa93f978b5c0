"""Imported only where MEDIA_S3_BUCKET is set: django-storages is not a requirement."""

from typing import Any

from botocore.config import Config
from django.conf import settings
from django.utils.encoding import filepath_to_uri
from storages.backends.s3 import S3Storage

# As every S3-compatible storage understands it.
PLAIN = Config(
    s3={"addressing_style": "path"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


class MediaBucket(S3Storage):
    def __init__(self, **options: Any) -> None:
        super().__init__(client_config=PLAIN, file_overwrite=False, **options)

    def url(self, name: str, *args: Any, **options: Any) -> str:
        """An address of this site, so that pages need not allow pictures from another one."""
        return f"{settings.MEDIA_URL}{filepath_to_uri(name)}"

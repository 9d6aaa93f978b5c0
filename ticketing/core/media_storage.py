"""Where uploads are kept: in a folder, or in S3-compatible storage that all machines share."""

from importlib.util import find_spec
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def media_storage(bucket: str, url: str) -> dict[str, Any]:
    """Django's storage of uploads. The bucket need not be public: our pages serve its files."""
    if not bucket:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(
            "MEDIA_S3_BUCKET needs another package: .venv/bin/pip install 'django-storages[s3]'"
        )
    options = {"bucket_name": bucket, "endpoint_url": url or None}
    return {"BACKEND": "ticketing.core.media_bucket.MediaBucket", "OPTIONS": options}

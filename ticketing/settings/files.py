"""Static files and uploads."""

from pathlib import Path

from whitenoise.compress import Compressor

from ticketing.core.media_storage import media_storage
from ticketing.settings.environment import BASE_DIR, VAR_DIR, env

STATIC_URL = "/static/"
STATIC_ROOT = Path(
    env.text("STATIC_ROOT", str(VAR_DIR / "static"), "Folder of the collected static files.")
)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

MEDIA_URL = "/media/"
MEDIA_ROOT = VAR_DIR / "media"
MEDIA_S3_BUCKET = env.text(
    "MEDIA_S3_BUCKET", "", "Bucket for uploads in S3-compatible storage; empty: files in VAR_DIR."
)
MEDIA_S3_URL = env.text(
    "MEDIA_S3_URL",
    "",
    "Address of that storage, if it is not Amazon's; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
    "log in there.",
)
STORAGES = {
    "default": media_storage(MEDIA_S3_BUCKET, MEDIA_S3_URL),
    "staticfiles": {"BACKEND": "ticketing.core.static_files.StaticFiles"},
}

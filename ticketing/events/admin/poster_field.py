"""Converts an uploaded poster to a small WebP without metadata."""

from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from PIL import Image, ImageOps

FORMATS = ("JPEG", "PNG", "WEBP")
MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 40_000_000
LONGEST_SIDE = 1600


class PosterField(forms.FileField):
    """Accepts an image upload and keeps only its pixels."""

    def to_python(self, data: Any) -> Any:
        upload = super().to_python(data)
        return web_poster(upload) if isinstance(upload, UploadedFile) else upload


def web_poster(upload: UploadedFile) -> ContentFile:
    """The image rotated upright, scaled down and without metadata; ValidationError if invalid."""
    if (upload.size or 0) > MAX_BYTES:
        raise ValidationError(_("The picture is larger than 10 MB."), code="too_large")
    upload.seek(0)
    try:
        return _encoded(upload)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        message = _("This is not a JPEG, PNG or WebP picture that can be read.")
        raise ValidationError(message, code="not_a_picture") from None


def _encoded(upload: UploadedFile) -> ContentFile:
    with Image.open(upload, formats=FORMATS) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise ValidationError(_("The picture has too many pixels."), code="too_many_pixels")
        # Lets the JPEG decoder scale down while decoding, which needs less memory.
        picture.draft(None, (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    upright.info.clear()
    poster = ContentFile(b"", name=f"{uuid4().hex}.webp")
    upright.save(poster, "WEBP", quality=82, exif=b"", icc_profile=None)
    return poster

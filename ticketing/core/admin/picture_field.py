"""Converts an uploaded picture to a small WebP without metadata."""

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


class PictureField(forms.FileField):
    """Accepts an image upload and keeps only its pixels, at most `longest_side` each way."""

    def __init__(self, *, longest_side: int = LONGEST_SIDE, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.longest_side = longest_side

    def to_python(self, data: Any) -> Any:
        upload = super().to_python(data)
        return (
            web_picture(upload, self.longest_side) if isinstance(upload, UploadedFile) else upload
        )


def web_picture(upload: UploadedFile, longest_side: int = LONGEST_SIDE) -> ContentFile:
    """The image rotated upright, scaled down and without metadata; ValidationError if invalid."""
    if (upload.size or 0) > MAX_BYTES:
        raise ValidationError(_("The picture is larger than 10 MB."), code="too_large")
    upload.seek(0)
    try:
        return _encoded(upload, longest_side)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        message = _("This is not a JPEG, PNG or WebP picture that can be read.")
        raise ValidationError(message, code="not_a_picture") from None


def _encoded(upload: UploadedFile, longest_side: int) -> ContentFile:
    with Image.open(upload, formats=FORMATS) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise ValidationError(_("The picture has too many pixels."), code="too_many_pixels")
        # Lets the JPEG decoder scale down while decoding, which needs less memory.
        picture.draft(None, (2 * longest_side, 2 * longest_side))
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((longest_side, longest_side))
    upright.info.clear()
    encoded = ContentFile(b"", name=f"{uuid4().hex}.webp")
    upright.save(encoded, "WEBP", quality=82, exif=b"", icc_profile=None)
    return encoded

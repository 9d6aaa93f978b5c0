"""Static files with content hashes in their names, also inside JavaScript imports."""

from typing import Any

from django.contrib.staticfiles import apps as staticfiles
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._urls: dict[str, str] = {}

    def url(self, name: str, force: bool = False) -> str:
        """Worked out once for each file: the names with their hashes are read at the start."""
        if force:
            return super().url(name, force)
        if name not in self._urls:
            self._urls[name] = super().url(name)
        return self._urls[name]


class StaticFilesConfig(staticfiles.StaticFilesConfig):
    """Skips files of pages that this site does not serve, which makes collectstatic faster."""

    default = False
    ignore_patterns = [*staticfiles.StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]

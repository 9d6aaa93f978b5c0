"""Static files with content hashes in their names, also inside JavaScript imports."""

from django.contrib.staticfiles import apps as staticfiles
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


class StaticFilesConfig(staticfiles.StaticFilesConfig):
    """Skips files of pages that this site does not serve, which makes collectstatic faster."""

    default = False
    ignore_patterns = [*staticfiles.StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]

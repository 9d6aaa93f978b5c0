"""Static files under names that change with their content, modules that import modules included."""

from django.contrib.staticfiles import apps as staticfiles
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


class StaticFilesConfig(staticfiles.StaticFilesConfig):
    """Leaves out pages that we don't serve, so that the first start has a third less to collect."""

    default = False
    ignore_patterns = [*staticfiles.StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]

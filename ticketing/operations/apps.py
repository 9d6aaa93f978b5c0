from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "ticketing.operations"
    label = "operations"

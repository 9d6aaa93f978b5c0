"""/api/v1/…: the caller and their API tokens."""

from django.urls import path

from ticketing.accounts import api

urlpatterns = [
    path("me/", api.Me.as_view(), name="api_me"),
    path("documents/", api.Documents.as_view(), name="api_documents"),
    path("tokens/", api.Tokens.as_view(), name="api_tokens"),
    path("tokens/<int:pk>/", api.Token.as_view(), name="api_token"),
]

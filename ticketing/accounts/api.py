"""The JSON API of accounts: the caller and their API tokens."""

from typing import Any

from django.contrib.auth import authenticate
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ticketing.accounts import rate_limits, selectors, services
from ticketing.accounts.authentication import CallerAuthentication, TokenAuthentication
from ticketing.accounts.errors import WrongPassword
from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.selectors import Caller
from ticketing.core import clock
from ticketing.core.api_schema import ErrorSerializer
from ticketing.core.throttle import client_address


class CallerSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    display_name = serializers.CharField(source="name")
    is_staff = serializers.BooleanField()


class TokenSerializer(serializers.ModelSerializer):
    class Meta:
        model = ApiToken
        fields = ("id", "name", "created_at", "expires_at", "last_used_at")
        read_only_fields = fields


class NewTokenSerializer(TokenSerializer):
    secret = serializers.CharField(help_text="Shown this once; send it as `Bearer`.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "secret")  # type: ignore[assignment]


class CredentialsSerializer(serializers.Serializer):
    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=1000)
    name = serializers.CharField(max_length=60, help_text="What will use the token.")


class Me(APIView):
    authentication_classes = [TokenAuthentication, CallerAuthentication]
    permission_classes = [IsAuthenticated]

    @extend_schema(responses={200: CallerSerializer, 401: ErrorSerializer}, tags=["accounts"])
    def get(self, request: Request) -> Response:
        """Who I am. With a session this costs no SQL."""
        user: Any = request.user
        caller = Caller.of(user) if isinstance(user, User) else user
        return Response(CallerSerializer(caller).data)


class Tokens(generics.ListAPIView):
    serializer_class = TokenSerializer

    def get_queryset(self) -> QuerySet[ApiToken]:
        if getattr(self, "swagger_fake_view", False):
            return ApiToken.objects.none()
        return selectors.live_tokens(self.request.user)  # type: ignore[arg-type]

    def get_authenticators(self) -> list[BaseAuthentication]:
        """A new token takes the password, whoever else the caller may be."""
        return [] if self._creates() else super().get_authenticators()

    def get_permissions(self) -> list[BasePermission]:
        return [AllowAny()] if self._creates() else [IsAuthenticated()]

    def _creates(self) -> bool:
        return self.request is not None and self.request.method == "POST"

    @extend_schema(
        responses={200: TokenSerializer(many=True), 401: ErrorSerializer}, tags=["accounts"]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """My tokens, without their secrets."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        request=CredentialsSerializer,
        responses={201: NewTokenSerializer} | dict.fromkeys((400, 401, 409, 429), ErrorSerializer),
        tags=["accounts"],
    )
    def post(self, request: Request) -> Response:
        """Create a token from e-mail and password. Its secret is shown this once."""
        rate_limits.LOG_IN.count(client_address(request._request))
        sent = CredentialsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        user = authenticated_user(request, **sent.validated_data)
        rate_limits.CREATE_TOKEN.count(str(user.pk))
        name = sent.validated_data["name"]
        token, secret = services.create_token(user=user, name=name, now=clock.now())
        body = {**TokenSerializer(token).data, "secret": secret}
        return Response(body, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})


def authenticated_user(request: Request, *, email: str, password: str, **rest: Any) -> User:
    """The user with this e-mail and password; failures count as on the log-in page."""
    user = authenticate(request._request, username=email, password=password)
    if not isinstance(user, User):
        raise WrongPassword()
    return user


class Token(APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(
        responses={204: None} | dict.fromkeys((401, 403, 404), ErrorSerializer), tags=["accounts"]
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke one of my tokens."""
        mine: Any = request.user
        token = generics.get_object_or_404(mine.api_tokens, pk=pk)
        services.revoke_token(token=token, now=clock.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

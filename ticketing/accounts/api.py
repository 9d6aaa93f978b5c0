"""The JSON API of accounts: the caller and their API tokens."""

from datetime import timedelta
from typing import Any

from django.contrib.auth import authenticate
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ticketing.accounts import rate_limits, selectors, services
from ticketing.accounts.authentication import ANY_SCOPE, CallerAuthentication, TokenAuthentication
from ticketing.accounts.errors import WrongPassword
from ticketing.accounts.models import TOKEN_LASTS, ApiToken, LegalDocument, Scope, User
from ticketing.accounts.selectors import Caller
from ticketing.core import clock
from ticketing.core.api_schema import ErrorSerializer
from ticketing.core.errors import NotAllowed
from ticketing.core.throttle import client_address


class CallerSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    display_name = serializers.CharField(source="name")
    is_staff = serializers.BooleanField()


class TokenSerializer(serializers.ModelSerializer):
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices), read_only=True)

    class Meta:
        model = ApiToken
        fields = (
            *("id", "name", "scopes", "created_at", "created_from", "expires_at"),
            *("last_used_at", "last_used_from"),
        )
        read_only_fields = fields

    def to_representation(self, instance: ApiToken) -> dict[str, Any]:
        return super().to_representation(instance) | {"scopes": instance.scopes.split()}


class NewTokenSerializer(TokenSerializer):
    secret = serializers.CharField(help_text="Shown this once; send it as `Bearer`.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "secret")  # type: ignore[assignment]


class DocumentSerializer(serializers.ModelSerializer):
    id = serializers.IntegerField(help_text="Of this version: what `consents` of a call names.")
    title = serializers.CharField(help_text="In the language of the request.")
    url = serializers.SerializerMethodField(help_text="Its page.")

    class Meta:
        model = LegalDocument
        fields = ("id", "kind", "version", "title", "published_at", "url")

    def get_url(self, document: LegalDocument) -> str:
        return reverse("privacy:version", args=[document.kind, document.version])


class CredentialsSerializer(serializers.Serializer):
    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=1000)
    code = serializers.CharField(
        max_length=20, default="", help_text="The second factor, of those who have one."
    )
    name = serializers.CharField(max_length=60, help_text="What will use the token.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(Scope.choices),
        allow_empty=False,
        default=list(services.DEFAULT_SCOPES),
        help_text="`door` and `operate` are for staff.",
    )
    days = serializers.IntegerField(
        min_value=1, max_value=365, default=TOKEN_LASTS.days, help_text="How long it is valid."
    )


class Me(APIView):
    authentication_classes = [TokenAuthentication, CallerAuthentication]
    permission_classes = [IsAuthenticated]
    token_scope = ANY_SCOPE

    @extend_schema(responses={200: CallerSerializer, 401: ErrorSerializer}, tags=["accounts"])
    def get(self, request: Request) -> Response:
        """Who I am. With a session this costs no SQL."""
        user: Any = request.user
        caller = Caller.of(user) if isinstance(user, User) else user
        return Response(CallerSerializer(caller).data)


class Documents(APIView):
    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(responses={200: DocumentSerializer(many=True)}, tags=["accounts"])
    def get(self, request: Request) -> Response:
        """The legal documents that are valid now; orders need consent to some of them."""
        documents = selectors.current_documents(now=clock.now())
        return Response(DocumentSerializer(documents, many=True).data)


class Tokens(generics.ListAPIView):
    serializer_class = TokenSerializer

    def get_queryset(self) -> QuerySet[ApiToken]:
        if getattr(self, "swagger_fake_view", False):
            return ApiToken.objects.none()
        return selectors.live_tokens(self.request.user, now=clock.now())  # type: ignore[arg-type]

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
        responses={201: NewTokenSerializer}
        | dict.fromkeys((400, 401, 403, 409, 429), ErrorSerializer),
        tags=["accounts"],
    )
    def post(self, request: Request) -> Response:
        """Create a token from e-mail, password and second factor. Its secret is shown this once."""
        address = client_address(request._request)
        rate_limits.LOG_IN.count(address)
        sent = CredentialsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        email = User.objects.normalize_email(asked["email"])
        services.require_known_device(email=email, cookie="")
        user = authenticated_user(request, email=asked["email"], password=asked["password"])
        rate_limits.CREATE_TOKEN.count(str(user.pk))
        token, secret = services.create_token(
            user=user,
            name=asked["name"],
            scopes=asked["scopes"],
            lasts=timedelta(days=asked["days"]),
            has_second_factor=services.check_second_factor(user=user, code=asked["code"]),
            address=address,
            now=clock.now(),
        )
        body = {**TokenSerializer(token).data, "secret": secret}
        return Response(body, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})


def authenticated_user(request: Request, *, email: str, password: str) -> User:
    """The user with this e-mail and password; failures count as on the log-in page."""
    user = authenticate(request._request, username=email, password=password)
    if not isinstance(user, User):
        raise WrongPassword()
    return user


class Token(APIView):
    permission_classes = [IsAuthenticated]
    token_scope = ANY_SCOPE

    @extend_schema(
        responses={204: None} | dict.fromkeys((401, 403, 404), ErrorSerializer), tags=["accounts"]
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke one of my tokens; with a token, only itself."""
        mine: Any = request.user
        if isinstance(request.auth, ApiToken) and request.auth.pk != pk:
            raise NotAllowed()
        token = generics.get_object_or_404(mine.api_tokens, pk=pk)
        services.revoke_token(token=token, now=clock.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

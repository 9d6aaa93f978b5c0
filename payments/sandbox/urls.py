from django.urls import path

from payments.sandbox import views

app_name = "sandbox"
# The API is routed by `api.endpoint`.
urlpatterns = [
    path("checkout/<str:payment_id>", views.checkout, name="checkout"),
    path("identity/<str:number>", views.identity, name="identity"),
]

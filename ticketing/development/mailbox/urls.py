"""/dev/mails/…"""

from django.urls import path

from ticketing.development.mailbox import views

app_name = "mailbox"
urlpatterns = [
    path("", views.mails, name="mails"),
    path("<slug:name>/", views.mail, name="mail"),
    path("<slug:name>/html/", views.html, name="html"),
    path("<slug:name>/attachments/<int:number>/", views.attachment, name="attachment"),
]

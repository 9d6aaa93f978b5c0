"""Uploads in S3-compatible storage: stored there, served by the site."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from ticketing.core import media_storage as storage

PICTURE = b"RIFF....WEBP"


class Bucket(BaseHTTPRequestHandler):
    """The few calls of S3 that an upload takes."""

    files: dict[str, bytes]
    log_message = lambda *_: None  # noqa: E731

    def do_PUT(self) -> None:
        assert "AWS4-HMAC-SHA256 Credential=key/" in self.headers["Authorization"]
        self.files[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200)

    def do_GET(self) -> None:
        self._answer(200 if self.path in self.files else 404, self.files.get(self.path, b""))

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"x"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@pytest.fixture
def bucket(settings, monkeypatch) -> Iterator[dict[str, bytes]]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "key")
    monkeypatch.setattr(Bucket, "files", {}, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.MEDIA_S3_BUCKET = "posters"
    url = f"http://127.0.0.1:{server.server_port}"
    settings.STORAGES = settings.STORAGES | {"default": storage.media_storage("posters", url)}
    yield Bucket.files
    server.shutdown()
    server.server_close()


def test_an_upload_is_kept_in_the_bucket_and_served_by_the_site(bucket, client: Client):
    name = default_storage.save("waiting/moon.webp", ContentFile(PICTURE))

    assert bucket == {"/posters/waiting/moon.webp": PICTURE}
    assert default_storage.url(name) == "/media/waiting/moon.webp"
    answer = client.get("/media/waiting/moon.webp")
    assert b"".join(answer.streaming_content) == PICTURE
    assert answer["Content-Type"] == "image/webp"
    assert "attachment" not in answer.get("Content-Disposition", "")


def test_a_script_is_a_download_and_what_is_not_there_is_404(bucket, client: Client):
    default_storage.save("x.html", ContentFile(b"<script>"))

    assert client.get("/media/x.html")["Content-Disposition"].startswith("attachment")
    assert client.get("/media/nothing.webp").status_code == 404
    assert client.get("/media/../secret_key").status_code == 404


def test_the_folder_is_the_default_and_the_package_is_asked_for(monkeypatch):
    assert storage.media_storage("", "")["BACKEND"].endswith("FileSystemStorage")

    monkeypatch.setattr(storage, "find_spec", lambda _: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install 'django-storages\[s3\]'"):
        storage.media_storage("posters", "")

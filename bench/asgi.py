"""The site, and beside it what is measured from: raw paths with as little as can be."""

from typing import Any

from ticketing.asgi import application as site  # first: it loads the apps

from bench import floors  # isort: skip


async def application(scope: Any, receive: Any, send: Any) -> None:
    path = scope.get("path", "")
    if scope["type"] == "websocket":
        floors.listen()
    if path.startswith("/bench/raw/"):
        await floors.one_script(path.split("/"), send)
    elif path == "/bench/hello":
        await floors.hello(send)
    elif path == "/bench/ws":
        await floors.broadcast(receive, send)
    else:
        await site(scope, receive, send)

"""The site, and beside it raw ASGI paths that do as little as possible: the baselines."""

from typing import Any

from ticketing.asgi import application as site  # first, as it loads the apps

from bench import baselines  # isort: skip


async def application(scope: Any, receive: Any, send: Any) -> None:
    path = scope.get("path", "")
    if scope["type"] == "websocket":
        baselines.listen()
    if path.startswith("/bench/raw/"):
        await baselines.run_script(path.split("/"), send)
    elif path == "/bench/hello":
        await baselines.hello(send)
    elif path == "/bench/ws":
        await baselines.broadcast(receive, send)
    else:
        await site(scope, receive, send)

"""What is outside of the site, in one small process without Django: PortOne and a mail server.

`python -m bench.outside HTTP_PORT SMTP_PORT`
"""

import asyncio
import sys
from collections import Counter

import uvicorn

from bench.portone import PortOne

HELLO = b"220 bench\r\n"
REPLIES = {"EHLO": b"250 bench", "HELO": b"250 bench", "QUIT": b"221 bye", "DATA": b"354 go on"}


class MailServer:
    """Takes every mail, each after so many seconds, and counts them by recipient."""

    def __init__(self) -> None:
        self.mails: Counter[str] = Counter()
        self.seconds = 0.0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HELLO)
        recipients: list[str] = []
        while line := (await reader.readline()).decode("latin-1").strip():
            verb = line[:4].upper()
            if verb == "MAIL":
                recipients = []
            elif verb == "RCPT":
                recipients.append(line.partition("<")[2].partition(">")[0])
            writer.write(REPLIES.get(verb, b"250 ok") + b"\r\n")
            if verb == "DATA":
                await reader.readuntil(b"\r\n.\r\n")
                await asyncio.sleep(self.seconds)
                self.mails.update(recipients)
                writer.write(b"250 ok\r\n")
            if verb == "QUIT":
                break
        writer.close()


class Gateway(PortOne):
    """Also says which mails came, and how slow the mail server is."""

    def __init__(self, mail_server: MailServer) -> None:
        super().__init__()
        self.mail_server = mail_server

    def set(self, *, mail_seconds: float = 0.0, **values: float) -> None:
        self.mail_server.seconds = mail_seconds
        super().set(**values)

    def counts(self) -> dict[str, object]:
        return super().counts() | {"mails": self.mail_server.mails}


async def main(http_port: int, smtp_port: int) -> None:
    mail_server = MailServer()
    await asyncio.start_server(mail_server.serve, "127.0.0.1", smtp_port, limit=64 * 1024**2)
    config = uvicorn.Config(
        Gateway(mail_server),
        port=http_port,
        log_level="warning",
        access_log=False,
        lifespan="off",
        backlog=4096,
        timeout_keep_alive=60,
    )
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))

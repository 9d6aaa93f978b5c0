"""A small SMTP server that can refuse recipients and end connections."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

GREETING = "220 here\r\n"
ANSWERS = {
    "DATA": "354 go on\r\n",
    "QUIT": "221 bye\r\n",
}


@dataclass
class Inbox:
    """What was received; `refusal` answers each RCPT, `refusals` the next ones."""

    port: int = 0
    refusal: str = ""
    refusals: list[str] = field(default_factory=list)
    mails_per_connection: int = 1_000_000
    connections: int = 0
    recipients: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)


class Handler(socketserver.StreamRequestHandler):
    inbox: Inbox

    def handle(self) -> None:
        self.inbox.connections += 1
        left = self.inbox.mails_per_connection
        self.send(GREETING)
        while left and (line := self.rfile.readline().decode().strip()):
            verb = line.split(":")[0].split(" ")[0].upper()
            self.send(self.answer(verb, line))
            if verb == "DATA":
                self.receive()
                left -= 1
            elif verb == "QUIT":
                return

    def answer(self, verb: str, line: str) -> str:
        if verb == "RCPT" and self.inbox.refusals:
            return f"{self.inbox.refusals.pop(0)}\r\n"
        if verb == "RCPT" and self.inbox.refusal:
            return f"{self.inbox.refusal}\r\n"
        if verb == "RCPT":
            self.inbox.recipients.append(line.split("<")[1].split(">")[0])
        return ANSWERS.get(verb, "250 fine\r\n")

    def receive(self) -> None:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.inbox.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self.send("250 taken\r\n")

    def send(self, reply: str) -> None:
        self.wfile.write(reply.encode())


@contextmanager
def mail_server() -> Iterator[Inbox]:
    inbox = Inbox()
    handler = type("InboxHandler", (Handler,), {"inbox": inbox})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        inbox.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield inbox
        server.shutdown()

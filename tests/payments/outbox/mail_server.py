"""A mail server on this machine, small enough to say no."""

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
class Desk:
    """What was asked and handed in; `refusal` is the answer to whoever names a recipient."""

    port: int = 0
    refusal: str = ""
    recipients: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)


class Clerk(socketserver.StreamRequestHandler):
    desk: Desk

    def handle(self) -> None:
        self.say(GREETING)
        while line := self.rfile.readline().decode().strip():
            verb = line.split(":")[0].split(" ")[0].upper()
            self.say(self.answer(verb, line))
            if verb == "DATA":
                self.take()
            elif verb == "QUIT":
                return

    def answer(self, verb: str, line: str) -> str:
        if verb == "RCPT" and self.desk.refusal:
            return f"{self.desk.refusal}\r\n"
        if verb == "RCPT":
            self.desk.recipients.append(line.split("<")[1].split(">")[0])
        return ANSWERS.get(verb, "250 fine\r\n")

    def take(self) -> None:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.desk.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self.say("250 taken\r\n")

    def say(self, words: str) -> None:
        self.wfile.write(words.encode())


@contextmanager
def mail_server() -> Iterator[Desk]:
    desk = Desk()
    handler = type("ClerkAtThisDesk", (Clerk,), {"desk": desk})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        desk.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield desk
        server.shutdown()

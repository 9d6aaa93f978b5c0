"""Ed25519 (RFC 8032) in plain Python: a signature that a phone can check without us.

None of our dependencies signs with a key pair, and a hundred lines are less than a library of C.
It takes milliseconds, which is enough for one ticket at a time. Signing adds for every bit of a
secret, set or not, so that its time says little about the key; the formulas are the RFC's.
"""

from functools import cache
from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)

# A point (x, y) as (X, Y, Z, T) with x = X/Z, y = Y/Z, x·y = T/Z.
Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def public_key(seed: bytes) -> bytes:
    scalar, _ = _secrets(seed)
    return _packed(_times_base(scalar))


def sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix = _secrets(seed)
    public = public_key(seed)
    nonce = _number(prefix, message)
    commitment = _packed(_times_base(nonce))
    challenge = _number(commitment, public, message)
    answer = (nonce + challenge * scalar) % ORDER
    return commitment + answer.to_bytes(32, "little")


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    key, commitment = _unpacked(public), _unpacked(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or answer >= ORDER:
        return False
    challenge = _number(signature[:32], public, message)
    return _same(_times_base(answer), _add(commitment, _times(challenge, key)))


def _secrets(seed: bytes) -> tuple[int, bytes]:
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | (1 << 254), digest[32:]


def _number(*parts: bytes) -> int:
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little") % ORDER


def _add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number: int, point: Point) -> Point:
    result = NEUTRAL
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _times_base(number: int) -> Point:
    """The doublings of the base are known; for every bit there is one addition."""
    result = unused = NEUTRAL
    for place, power in enumerate(_powers()):
        if number >> place & 1:
            result = _add(result, power)
        else:
            unused = _add(unused, power)
    return result


@cache
def _powers() -> list[Point]:
    y = 4 * pow(5, -1, P) % P
    x = _x_of(y, 0) or 0
    powers = [(x, y, 1, x * y % P)]
    while len(powers) < 256:
        powers.append(_add(powers[-1], powers[-1]))
    return powers


def _same(p: Point, q: Point) -> bool:
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 == (p[1] * q[2] - q[1] * p[2]) % P


def _x_of(y: int, sign: int) -> int | None:
    """The root with this sign, if the curve has a point at this height."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return x if x & 1 == sign else P - x


def _packed(point: Point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _unpacked(packed: bytes) -> Point | None:
    if len(packed) != 32:
        return None
    number = int.from_bytes(packed, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    x = _x_of(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)

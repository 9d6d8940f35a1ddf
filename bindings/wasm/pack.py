#!/usr/bin/env python3
"""Packs the data of a linked WebAssembly file. usage: pack.py LINKED PACKED MOST

All data segments become one, at the end of the memory, in the block format of LZ4; unpack.c says the rest. Fails when
the file is larger than MOST bytes.
"""
import sys
from collections.abc import Iterator

SHORTEST, FAR, PAGE, TRAILER = 4, 65535, 65536, 16
TRIES = 16  # earlier places that are looked at for each
LONG = 400  # a repetition that is as good as any longer one
MEMORY, DATA = 5, 11  # sections


def number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def leb(value: int, signed: bool = False) -> bytes:
    out = bytearray()
    while True:
        byte, value = value & 127, value >> 7
        done = value == 0 and not (signed and byte & 64)
        out.append(byte | (0 if done else 128))
        if done:
            return bytes(out)


def sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = number(data, at + 1)
        yield kind, data[at : at + size]
        at += size


def image(body: bytes) -> tuple[int, bytes]:
    """Where the data begin, and what the segments make there."""
    count, at = number(body, 0)
    parts = []
    for _ in range(count):
        if body[at : at + 2] != b"\0\x41":
            raise SystemExit("pack.py: a data segment is not active, or not at a constant place")
        place, at = number(body, at + 2)
        size, at = number(body, at + 1)
        parts.append((place, body[at : at + size]))
        at += size
    start = min(place for place, _ in parts)
    made = bytearray(max(place + len(part) for place, part in parts) - start)
    for place, part in parts:
        made[place - start : place - start + len(part)] = part
    return start, bytes(made)


def same(data: bytes, a: int, b: int, known: int, most: int) -> int:
    """How many bytes at a are as those at b, of which `known` are."""
    n = known
    while n + 32 <= most and data[a + n : a + n + 32] == data[b + n : b + n + 32]:
        n += 32
    while n < most and data[a + n] == data[b + n]:
        n += 1
    return n


def repetitions(data: bytes) -> list[tuple[int, int]]:
    """At each place the longest repetition of what stands before: length and distance; (0, 0) where there is none."""
    last: dict[bytes, int] = {}
    before = [-1] * len(data)
    best = [(0, 0)] * len(data)
    for i in range(len(data) - SHORTEST):
        key = data[i : i + SHORTEST]
        before[i], last[key] = last.get(key, -1), i
        length, distance = best[i - 1] if i else (0, 0)
        length = max(length - 1, 0)  # the one found a byte ago goes on
        at, tries = before[i], TRIES
        while at >= 0 and i - at <= FAR and tries and length < LONG:
            if data[at + length] == data[i + length] if i + length < len(data) else False:
                found = same(data, at, i, 0, len(data) - i)
                length, distance = (found, i - at) if found > length else (length, distance)
            at, tries = before[at], tries - 1
        best[i] = (length, distance) if length >= SHORTEST else (0, 0)
    return best


def cheapest(data: bytes) -> list[int]:
    """At each place the length of the repetition to take, 0 for none, so that the rest takes the fewest bytes."""
    best = repetitions(data)
    cost, taken = [0] * (len(data) + 1), [0] * len(data)
    for i in range(len(data) - 1, -1, -1):
        cost[i] = cost[i + 1] + 1
        longest = best[i][0]
        for length in {longest, *range(SHORTEST, min(longest, 18) + 1)} if longest else ():
            price = 3 + (0 if length < 19 else 1 + (length - 19) // 255) + cost[i + length]
            if price < cost[i]:
                cost[i], taken[i] = price, length
    return [(length, best[i][1]) for i, length in enumerate(taken)]


def more(length: int) -> bytes:
    """What follows a length that does not fit its half byte."""
    if length < 15:
        return b""
    return b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])


def packed(data: bytes) -> bytes:
    taken, out, i, start = cheapest(data), bytearray(), 0, 0
    while i < len(data):
        length, distance = taken[i]
        if not length:
            i += 1
            continue
        rest = length - SHORTEST
        out.append(min(i - start, 15) << 4 | min(rest, 15))
        out += more(i - start) + data[start:i] + distance.to_bytes(2, "little") + more(rest)
        i += length
        start = i
    if start < len(data):
        out.append(min(i - start, 15) << 4)
        out += more(i - start) + data[start:]
    return bytes(out)


def rewritten(data: bytes) -> bytes:
    parts = dict(sections(data))
    start, tables = image(parts[DATA])
    small = packed(tables)
    _, at = number(parts[MEMORY], 0)
    if parts[MEMORY][at] != 0:
        raise SystemExit("pack.py: the memory has a limit")
    pages, _ = number(parts[MEMORY], at + 1)
    # The packed form lies behind the tables, so that one does not overwrite the other.
    pages = max(pages, -(-(start + len(tables) + len(small) + TRAILER) // PAGE))
    place = pages * PAGE - TRAILER - len(small)
    trailer = b"".join(n.to_bytes(4, "little") for n in (place, start, len(tables), 0))
    segment = small + trailer
    new = {MEMORY: b"\1\0" + leb(pages),
           DATA: b"\1\0\x41" + leb(place, signed=True) + b"\x0b" + leb(len(segment)) + segment}
    out = bytearray(data[:8])
    for kind, body in sections(data):
        body = new.get(kind, body)
        out += bytes([kind]) + leb(len(body)) + body
    return bytes(out)


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], "rb") as file:
        made = rewritten(file.read())
    if len(made) > int(sys.argv[3]):
        print(f"pack.py: {len(made)} bytes are more than {sys.argv[3]}", file=sys.stderr)
        return 1
    with open(sys.argv[2], "wb") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())

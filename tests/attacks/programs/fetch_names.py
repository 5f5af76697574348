# attack: offers results under names that break careless code: line ends, bytes that are no text, options, quotes, patterns.
# defence: names are bytes to the sandbox, and never part of a command line
# levels: full rootless landlock
# expect: ok
# fetch: *
# fetched: *

import os

for name in (b"line\nend", b"\xff\xfe\x80", b"-rf", b"--", b" ", b"'\"`$(id)", b"*", b"...", b"a\\b", b"\x1b[2J", b"n" * 255, b"%s%n", "e\u0301".encode()):
    with open(name, "wb") as file:
        file.write(b"harmless")
os.makedirs("d/d/d")
print("held")

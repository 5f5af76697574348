"""A model for the pages: a scripted server that writes what they ask for. It knows one problem and a few functions."""

from __future__ import annotations

import re
from typing import Any

from llm.chat_server import ChatServer, Say
from synth.author import Author

GENERATOR = """import random
random.seed(5)
tests = []
for n in [1, 2, 3, 4, 6, 9, 12, 20]:
    tests.append(f"{n}\\n{' '.join(str(random.randint(-10**9, 10**9)) for _ in range(n))}\\n")
print(tests)"""
PAIRS = """tests = [f"{n} {n * 7 % 5}\\n" for n in range(8)]
print(tests)"""
FUNCTIONS = {"double": "def double(x):\n    return 2 * x\n", "plus": "def plus(a, b):\n    return a + b\n"}


def answer(body: Any) -> Any:
    text = "\n".join(message["content"] for message in body["messages"])
    for name, code in FUNCTIONS.items():
        if re.search(rf"\b{name}\(", text):
            return Say(f"```python\n{code}```")
    generator = PAIRS if "Add a and b" in text else GENERATOR
    return Author(regular_generator=generator, corner_generator=generator, checker_decision="NO")(body)


def server() -> ChatServer:
    return ChatServer(answer)

"""One number, brackets around everything, values below nought, brackets at both ends."""
import json

texts = [
    "0",
    "999999999",
    "((7))",
    "1-2",
    "1-2*3",
    "(1-2)*(3-4)",
    "0-(0-(0-1))",
    "10-(4-3)-2",
    "2*(3+4)*5",
    "(1)+(2)",
    "007+08",
    "1000006+1",
    "999999999*999999999*999999999",
    "(" * 300 + "5" + ")*2" * 300,
]
print([json.dumps(text) for text in texts])

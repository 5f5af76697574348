"""As long and as deep as an expression may be."""
import json

deep = 20000
print(
    [
        json.dumps("(" * deep + "1" + "+1)" * deep),
        json.dumps("3-(" * deep + "7" + ")" * deep),
        json.dumps("9*" * 49999 + "12"),
    ]
)

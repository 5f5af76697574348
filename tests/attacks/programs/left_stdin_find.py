# attack: looks whether its input is what the run before made of it.
# defence: a fresh stdin for each run
# levels: full rootless landlock
# expect: ok
# stdin: untouched

import sys

text = sys.stdin.read()
print("held" if text == "untouched" else f"BREACH stdin holds {text!r}", flush=True)

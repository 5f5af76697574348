# attack: none by itself: a run whose source and input hold secrets, which the next one will look for in the zygote's memory.
# defence: sources and inputs do not pass through the zygote's memory, or are wiped there
# levels: full rootless landlock
# expect: ok
# stdin: leftover-input-0123456789abcdef
# args: leftover-argument-0123456789abcdef
# then: left_memory_find.py

import os
import sys

os.environ["LEFT"] = "leftover-environment-0123456789abcdef"
secret = "leftover-source-0123456789abcdef" * 3
print("left", len(sys.stdin.read() + secret))

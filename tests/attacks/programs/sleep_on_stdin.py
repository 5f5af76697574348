# attack: waits for ever on a pipe whose other end it holds itself.
# defence: wall-clock backstop
# levels: full rootless landlock
# expect: wall_limit_exceeded
# limits: wall_s=1

import os

reader, writer = os.pipe()
os.read(reader, 1)

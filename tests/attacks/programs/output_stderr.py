# attack: floods stderr while stdout stays empty, where a reader that drains one stream first would hang.
# defence: output limit of each stream, both drained while it runs
# levels: full rootless landlock
# expect: output_limit_exceeded

import os

while True:
    try:
        os.write(2, b"x" * 65536)
    except OSError:
        pass

# attack: changes what stdin holds, its length and its position, hoping that the next run gets the same file.
# defence: a fresh stdin for each run
# levels: full rootless landlock
# expect: ok
# stdin: the input of the first run, which is longer than that of the second
# then: left_stdin_find.py

import os

for attempt in (
    lambda: os.ftruncate(0, 0),
    lambda: os.pwrite(0, b"poison", 0),
    lambda: os.lseek(0, 5, os.SEEK_SET),
    lambda: os.ftruncate(os.open("/proc/self/fd/0", os.O_RDWR | os.O_NONBLOCK), 0),
    lambda: os.write(os.open("/proc/self/fd/0", os.O_RDWR | os.O_NONBLOCK), b"poison"),
    lambda: os.write(0, b"poison"),
):
    try:
        attempt()
    except OSError:
        pass
print("left")

# attack: changes the host's files: writes, truncates, creates beside, renames, links a file out of the working directory.
# defence: own root; at landlock the rules of Landlock (truncate since Linux 6.2, renames and links since 5.19)
# levels: full rootless landlock
# expect: ok
# args: {secret_file}

import os
import sys

secret = sys.argv[1]
beside = os.path.join(os.path.dirname(secret), "planted")
with open("mine", "w") as file:
    file.write("x")

def length() -> int:
    return os.stat(secret).st_size  # looking is allowed at landlock, changing is not

attempts = {
    "open for writing": lambda: os.close(os.open(secret, os.O_WRONLY)),
    "open for appending": lambda: os.close(os.open(secret, os.O_WRONLY | os.O_APPEND)),
    "truncate": lambda: os.truncate(secret, length()),  # to the same length: a hole shows, the witness lives on
    "create": lambda: os.close(os.open(beside, os.O_WRONLY | os.O_CREAT)),
    "mkdir": lambda: os.mkdir(beside),
    "mkfifo": lambda: os.mkfifo(beside),
    "symlink": lambda: os.symlink("/", beside),
    "link out": lambda: os.link("mine", beside),
    "rename away": lambda: os.rename(secret, secret + ".moved"),
    "rename out": lambda: os.rename("mine", beside),
}
held = True
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    print("BREACH", name, flush=True)
    held = False
    for undo in (lambda: os.rename(secret + ".moved", secret), lambda: os.unlink(beside), lambda: os.rmdir(beside)):
        try:
            undo()
        except OSError:
            pass
if held:
    print("held")

# attack: takes all permissions from directories with files in them, so that a cleaner without privileges gives up.
# defence: the tmpfs goes as a whole; at landlock the cleaner gives itself the permissions back
# levels: full rootless landlock
# expect: ok
# then: files_find.py

import os

folders = ("locked-by-the-run-before", "locked-by-the-run-before/inner", "locked-by-the-run-before/inner/innermost")
for path in folders:
    os.mkdir(path)
    with open(f"{path}/left-by-the-run-before", "w") as file:
        file.write("locked in")
for path in reversed(folders):
    os.chmod(path, 0)
try:
    os.chmod(".", 0o500)
except PermissionError:
    pass  # it belongs to somebody else: as good
print("left")

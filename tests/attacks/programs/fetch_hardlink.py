# attack: offers hard links to files outside its working directory as results.
# defence: links across mounts and rules are refused; fetching takes regular files of the working directory only
# levels: full rootless landlock
# expect: ok
# args: {secret_file}
# fetch: hard-*
# fetched: nothing

import os
import sys

for number, path in enumerate((sys.argv[1], "/etc/shadow", "/etc/passwd", "/usr/bin/env", sys.executable, os.__file__, "/proc/self/environ")):
    try:
        os.link(path, f"hard-{number}")
        print("BREACH linked", path, flush=True)
        os.unlink(f"hard-{number}")
    except OSError:
        pass
print("held")

# attack: plants code where interpreters and programs look for it: packages, start-up files, caches, libraries, tools.
# defence: read-only system and interpreter directories; at landlock the rules of Landlock
# levels: full rootless landlock
# expect: ok
# args: {project}
# then: zygote_find.py

import os
import site
import sys
import sysconfig

project = sys.argv[1]
folders = {
    *(path for path in sys.path if path and path != os.path.dirname(os.path.abspath(__file__))),
    site.getusersitepackages(), *site.getsitepackages(), *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix,
    os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(os.__file__), os.path.join(os.path.dirname(os.__file__), "__pycache__"),
    "/usr/bin", "/usr/lib", "/lib", "/usr/local/bin", "/usr/local/lib", "/etc", "/etc/ld.so.conf.d", "/etc/profile.d", "/usr/include",
    project, f"{project}/src/codejury", f"{project}/tests", f"{project}/.git/hooks",
}
here = os.path.realpath(os.getcwd())
held = True
for folder in sorted(folders):
    if os.path.realpath(folder) == here:
        continue
    path = os.path.join(folder, "planted_by_an_attack.txt")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError:
        continue
    print("BREACH planted a file in", folder, flush=True)
    os.unlink(path)
    held = False
for path in (os.__file__, os.path.realpath(sys.executable), "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/passwd", "/usr/bin/env", sys.modules["json"].__file__):
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        continue
    print("BREACH may write", path, flush=True)
    held = False
if held:
    print("held")

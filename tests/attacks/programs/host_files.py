# attack: reads what lies around on the host: passwords, keys, home directory, the project, a secret outside.
# defence: own root with system directories only; at landlock the rules of Landlock
# levels: full rootless landlock
# expect: ok
# args: {secret_file} {home} {project}

import os
import stat
import sys

secret_file, home, project = sys.argv[1:]
# The interpreter's own tree is readable on purpose, also where it lies in a home directory or the project.
allowed = [os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, os.getcwd())]
targets = [
    secret_file,
    "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/machine-id", "/etc/hostname",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssl/private", "/boot", "/var/log/dpkg.log",
    "/var/lib/dpkg/status", "/run/docker.sock", "/run/utmp",
    *(f"{project}/{name}" for name in ("pyproject.toml", "README.md", "Makefile", ".git/HEAD", "tests/attacks/test_attacks.py")),
]
for base in (home, project):
    for folder, folders, names in os.walk(base):
        if any((folder + "/").startswith(prefix + "/") for prefix in allowed) or folder.count("/") - base.count("/") > 2:
            folders.clear()
            continue
        targets += (os.path.join(folder, name) for name in names[:200])

read = []
for path in targets:
    if any(os.path.realpath(path).startswith(prefix + "/") for prefix in allowed):
        continue
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            if os.listdir(path):
                read.append(path)
        elif stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "rb") as file:
                if file.read(1):
                    read.append(path)
    except OSError:
        pass
for path in read[:20]:
    print("BREACH read", path, flush=True)
if not read:
    print("held")

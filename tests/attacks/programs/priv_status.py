# attack: starts from what the set-up forgot: a capability left over, no seccomp filter, new privileges allowed, extra groups.
# defence: all capabilities dropped, no_new_privs, seccomp; in a fork of the zygote as in a fresh process
# levels: full rootless landlock
# expect: ok

import os
import subprocess

def faults(status: str) -> list[str]:
    row = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    found = [name for name in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(row[name], 16)]
    if row["NoNewPrivs"].strip() != "1":
        found.append("NoNewPrivs")
    if row["Seccomp"].strip() != "2":
        found.append("Seccomp")
    return found

with open("/proc/self/status") as file:
    found = faults(file.read())
# A child must have no more than its parent. Where rules on /proc hide the child's entry, it has no say.
child = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True)
if child.stdout:
    found += faults(child.stdout)
if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
    found.append("saved ids")
print(*(f"BREACH {name}" for name in found) if found else ["held"], sep="\n", flush=True)

# The victim of the neighbour_* attacks: an honest run with a secret in a file and in memory, and a child.

import subprocess
import sys
import time

secret = sys.stdin.read().strip()
with open("witness-neighbour", "w") as file:
    file.write(secret)
child = subprocess.Popen(["sleep", "1.5"])
time.sleep(1.5)
child.wait()
with open("witness-neighbour") as file:
    print("well" if file.read() == secret else "harmed")

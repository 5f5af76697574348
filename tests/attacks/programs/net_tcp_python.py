# attack: connects to a TCP port of the host from the warm interpreter, by the socket module and by the C library.
# defence: seccomp refuses socket(), in a fork of the zygote too; empty network namespace
# levels: full rootless landlock
# expect: ok
# args: {tcp_port}

import ctypes
import socket
import struct
import sys

port = int(sys.argv[1])
held = True
try:
    socket.create_connection(("127.0.0.1", port), timeout=0.5)
    print("BREACH connected", flush=True)
    held = False
except OSError:
    pass
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.socket(2, 1, 0)
if fd >= 0 and libc.connect(fd, struct.pack("!2s H 4s 8x", b"\2\0", port, b"\x7f\0\0\1"), 16) == 0:
    print("BREACH connected by the C library", flush=True)
    held = False
if held:
    print("held")

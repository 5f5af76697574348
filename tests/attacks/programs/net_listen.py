# attack: offers a service on a TCP port to whoever comes.
# defence: seccomp refuses socket(); empty network namespace
# levels: full rootless landlock
# expect: ok

import socket

try:
    with socket.socket() as server:
        server.bind(("0.0.0.0", 0))
        server.listen()
        with socket.create_connection(server.getsockname(), timeout=0.5):
            print("BREACH a visitor came to", server.getsockname(), flush=True)
except OSError:
    print("held")

"""Command + Limits -> Outcome: the only place of codejury that starts a process.

    pool         workers on loan, retries of our own failures, many at a time
    worker       one native keeper: its socket, its life
    wire         the records that go over that socket
    view         what of the host a program can see
    interpreter  where a Python lives and which directories belong to it
    cgroups      the control groups of this host, and what dead workers left in them
    probe        which levels and layers this host can give
    host         questions to the host's own, trusted tools
    zygote       the script of the waiting interpreter; runs inside, imports nothing of ours

Verdicts on submissions live in the judge; languages live above.
"""

# attack: an endless loop that swallows every exception, also those that a signal handler of the interpreter raises.
# defence: CPU limit, enforced from outside the interpreter
# levels: full rootless landlock
# expect: time_limit_exceeded
# limits: cpu_s=1

while True:
    try:
        while True:
            pass
    except BaseException:
        pass

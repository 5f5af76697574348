# attack: the classic shell fork bomb, each call piping into itself in the background.
# defence: pids cgroup, RLIMIT_NPROC, the tree killed at the end of the run
# levels: full rootless landlock
# expect: ok | runtime_error | process_limit_exceeded | time_limit_exceeded | wall_limit_exceeded
# limits: cpu_s=1 wall_s=2

# The outcome depends on who meets the limit first; what counts is that the host and the next run stay well.
bomb() { bomb | bomb & }
bomb
wait

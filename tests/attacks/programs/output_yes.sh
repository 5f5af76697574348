# attack: floods stdout from a program of the system, in the background, and waits.
# defence: output limit for the whole tree
# levels: full rootless landlock
# expect: output_limit_exceeded

yes harmless &
wait
sleep 20

# attack: leaves a background job behind with setsid and nohup.
# defence: pid namespace ends with its init; at landlock the tree is tracked, killed and reaped
# levels: full rootless landlock
# expect: ok
# args: {left_name}

# A copy under this name: the runner looks for it on the host afterwards.
cp "$(command -v sleep)" "./$1"
setsid nohup "./$1" 20 >/dev/null 2>&1 </dev/null &
disown -a
sleep 0.2
echo held

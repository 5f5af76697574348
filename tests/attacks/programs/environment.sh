# attack: looks for the host's environment in the shell's variables and in those of every process that it can see.
# defence: the environment is built from nothing; pid namespace; at landlock only its own /proc entry is readable
# levels: full rootless landlock
# expect: ok
# args: {secret_env_name}

secret=$(printenv "$1" || declare -p "$1" 2>/dev/null) && echo "BREACH the environment has $1" && broken=1
for file in /proc/[0-9]*/environ; do
    tr '\0' '\n' <"$file" 2>/dev/null | grep -q "^$1=" && echo "BREACH $file has it" && broken=1
done 2>/dev/null
[ -z "$broken" ] && echo held
exit 0

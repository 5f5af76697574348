# attack: reads the host's files with the tools of the shell, following its redirections.
# defence: own root with system directories only; at landlock the rules of Landlock
# levels: full rootless landlock
# expect: ok
# args: {secret_file}

for file in "$1" /etc/shadow "/proc/1/root$1" "/proc/self/root$1" "/proc/$PPID/root$1" "../../../../../../..$1"; do
    got=$(cat -- "$file" 2>/dev/null || head -c 99 <"$file") 2>/dev/null
    [ -n "$got" ] && echo "BREACH read $file" && broken=1
done
[ -z "$broken" ] && echo held
exit 0

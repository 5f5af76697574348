#!/usr/bin/env bash
# A short walk through codejury. Leaves build/demo.html, a report of what it did. Ends with "demo: success", or with a message and exit code 1 at the first
# thing that is not as it should be. CODEJURY names the command to use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

codejury=${CODEJURY:-codejury}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'demo: FAILED: %s\n' "$*" >&2; exit 1; }

# expect WANTED COMMAND...: runs it, shows what it prints, and compares.
expect() {
    local wanted=$1 got
    shift
    printf '$ %s\n' "codejury ${*:2}"
    got=$("$@") || fail "exit code $?"
    printf '%s\n' "$got"
    [ "$got" = "$wanted" ] || fail "expected '$wanted'"
}

step 'What this host can enforce'
"$codejury" doctor || fail "doctor ended with exit code $?"

step 'The same sum in three languages'
expect 200 "$codejury" run examples/sum.py --stdin examples/sum.txt
expect 200 "$codejury" run examples/sum.c --stdin examples/sum.txt
if command -v g++ >/dev/null; then
    expect 200 "$codejury" run examples/sum.cpp --stdin examples/sum.txt
else
    echo 'sum.cpp is left out: there is no g++ on this machine'
fi

step 'A program that never ends is stopped after one second of CPU time'
echo '$ codejury run examples/endless.py --time 1 --json'
"$codejury" run examples/endless.py --time 1 --json >"$scratch/endless.json" || true  # the exit code tells of the limit
cat "$scratch/endless.json"
grep -Eq '"status": *"time_limit_exceeded"' "$scratch/endless.json" || fail 'the endless loop was not stopped by its time limit'

step 'A program that reads a file of the host gets nothing'
echo 'the secret of the host' >"$scratch/secret"
chmod -R a+rX "$scratch"  # its own permissions would let anybody read it
echo "$scratch/secret" >"$scratch/path"
echo "\$ codejury run examples/nosy.py --stdin <the path of a readable file>"
"$codejury" run examples/nosy.py --stdin "$scratch/path" | tee "$scratch/nosy"
grep -q '^refused: ' "$scratch/nosy" || fail 'the program was not refused'
! grep -q 'secret of the host' "$scratch/nosy" || fail 'the program read a file of the host'

step 'Tests for fifteen problems: inputs by generators, outputs that the golds agree on'
quorum=all
command -v g++ >/dev/null || { quorum=1; echo 'there is no g++ on this machine: the golds in Python have to do'; }
echo "$ codejury gen --input examples/problems.jsonl --output tests.jsonl --quorum $quorum"
"$codejury" gen --input examples/problems.jsonl --output "$scratch/tests.jsonl" --quorum "$quorum" ||
    fail "gen ended with exit code $?"

step 'A gold and a wrong program judged by them'
problem=examples/problems/till_receipt
wrong=$(find "$problem/wrong/wrong_answer" -name '*.py' | sort | head -n 1)
"${PYTHON:-python3}" - "$scratch" "$problem/golds" "$wrong" <<'END'
import json, pathlib, sys
scratch, golds, wrong = map(pathlib.Path, sys.argv[1:])
gold = sorted(golds.glob("*.py"))[0]
rows = [{"custom_id": "till_receipt", "solution": file.read_text(), "language": "python"} for file in (gold, wrong)]
(scratch / "submissions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
END
echo '$ codejury judge --tests tests.jsonl --submissions submissions.jsonl --output verdicts.jsonl'
"$codejury" judge --tests "$scratch/tests.jsonl" --submissions "$scratch/submissions.jsonl" \
    --output "$scratch/verdicts.jsonl" --json | tee "$scratch/summary.json"
grep -q '"success": 1' "$scratch/summary.json" || fail 'the gold was not accepted'
grep -q '"wrong_answer": 1' "$scratch/summary.json" || fail 'the wrong program was not rejected'

step 'How good these tests are: the right and wrong programs in Python that come with the problems'
"${PYTHON:-python3}" - examples/submissions.jsonl "$scratch/python.jsonl" <<'END'
import json, pathlib, sys
given, chosen = map(pathlib.Path, sys.argv[1:])
rows = [json.loads(line) for line in given.read_text().splitlines()]
chosen.write_text("".join(json.dumps(row) + "\n" for row in rows if row["language"] == "python"))
END
echo '$ codejury quality --tests tests.jsonl --submissions python.jsonl --output quality'
"$codejury" quality --tests "$scratch/tests.jsonl" --submissions "$scratch/python.jsonl" --output "$scratch/quality" --quiet ||
    fail "quality ended with exit code $?"

step 'A report of all this'
mkdir -p build
echo '$ codejury report tests.jsonl quality.json verdicts.jsonl python.jsonl --output build/demo.html'
"$codejury" report "$scratch/tests.jsonl" "$scratch/quality.json" "$scratch/verdicts.jsonl" "$scratch/python.jsonl" \
    --title 'What make demo did' --output build/demo.html || fail "report ended with exit code $?"

printf '\nOpen it in a browser: %s\n' "file://$(pwd | sed 's/ /%20/g')/build/demo.html"
printf 'demo: success\n'

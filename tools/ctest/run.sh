# Runs test programs: sh run.sh <command before each, or ""> <program>...
# Prints what they print but their own counts, and the sum of those at the end.
before=$1
shift
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$@"; do
  echo "--- $(basename "$program")"
  status=0
  $before "$program" >"$log" 2>&1 || status=$?
  sed '$!b; /^[0-9]* passed, [0-9]* failed$/d' "$log"
  count=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$')
  if [ -z "$count" ]; then # it did not come to its end
    echo "FAILED $program stopped with status $status"
    failed=$((failed + 1))
    continue
  fi
  set_failed=${count#*, }
  set_failed=${set_failed%% *}
  passed=$((passed + ${count%% *}))
  failed=$((failed + set_failed))
  if [ "$set_failed" -eq 0 ] && [ "$status" -ne 0 ]; then
    echo "FAILED $program ended with status $status"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# A member of the team with curl alone. It does one thing at a time and gives no cursor
# back: a task counts as seen when it has ended. What it does it writes to MEMBER_FILE
# before it does it.
set -u

note() { printf '%s\n' "$1" >>"$MEMBER_FILE"; }

# call METHOD PATH [JSON [KEY]] prints the hub's answer, or fails.
call() {
	curl --silent --fail --max-time 20 --request "$1" --header @<(printf 'Authorization: Bearer %s\n' "$PARLEY_TOKEN") \
		--header 'Content-Type: application/json' ${4:+--header "Idempotency-Key: $4"} ${3:+--data "$3"} "$PARLEY_URL$2"
}

# field NAME prints the first value of that name in the JSON on standard input, if it is
# of letters, digits and dashes.
field() { sed -nE "s/.*\"$1\":\"?([A-Za-z0-9_-]+).*/\1/p" | head -n 1; }

while true; do
	note '{"what":"wait"}'
	if ! batch=$(call GET '/v1/inbox/wait?limit=1&wait=1s'); then
		sleep 0.05
		continue
	fi
	item=${batch%%\}*}
	message=$(field message <<<"$item") task=$(field task <<<"$item") again=$(field again <<<"$item")
	[ -n "$message" ] || continue
	note "{\"what\":\"item\",\"message\":\"$message\",\"task\":\"$task\",\"again\":${again:-false}}"
	if [ -z "$task" ]; then
		call POST /v1/inbox/ack "{\"messages\":[\"$message\"]}" >/dev/null
		continue
	fi
	note "{\"what\":\"work\",\"task\":\"$task\",\"again\":${again:-false}}"
	number=$(grep -oE 'part #[a-z0-9-]+' <<<"$item" | head -n 1)
	call POST "/v1/tasks/$task/update" '{"note":"Working."}' >/dev/null
	sleep 0.03
	if call POST "/v1/tasks/$task/complete" "{\"result\":\"$number by Cal\"}" "end-$task" >/dev/null; then
		note "{\"what\":\"done\",\"task\":\"$task\"}"
		# The first end counts, whatever comes after it.
		call POST "/v1/tasks/$task/complete" "{\"result\":\"$number by Cal, too late\"}" >/dev/null
	fi
done

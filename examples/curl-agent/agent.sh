#!/usr/bin/env bash
# An agent in a shell script: it counts the words of what it is asked. It needs curl, jq,
# PARLEY_TOKEN, and PARLEY_URL if the hub is not on this machine.
#
# It does one thing at a time, so it never gives a cursor back: a task counts as seen when
# it has ended, mail when it is acknowledged. If the script is killed in between, the same
# comes again.
set -uo pipefail

url=${PARLEY_URL:-http://127.0.0.1:7420}
: "${PARLEY_TOKEN:?Make a token with: parley token create NAME}"

# call METHOD PATH [JSON [KEY]] prints the hub's answer. If the token is refused the script
# ends; if no hub answers it waits and tries again. The token is in no command line, where
# others could see it.
call() {
	local method=$1 path=$2 body=${3:-} key=${4:-} answer status pause=1
	while true; do
		answer=$(curl --silent --request "$method" --write-out '\n%{http_code}' --max-time 90 \
			--header @<(printf 'Authorization: Bearer %s\n' "$PARLEY_TOKEN") \
			--header 'Content-Type: application/json' ${key:+--header "Idempotency-Key: $key"} \
			${body:+--data-binary @-} "$url$path" <<<"$body")
		status=${answer##*$'\n'} answer=${answer%$'\n'*}
		case $status in
		2??) printf '%s' "$answer" && return ;;
		401)
			jq -r '"\(.message) \(.hint // "")"' <<<"$answer" >&2
			kill -s USR1 $$
			exit 1
			;;
		4??) [ "$status" = 429 ] || { printf '%s\n' "$answer" >&2 && return 1; } ;;
		esac
		echo "No answer from $url ($status); trying again." >&2
		sleep "$pause"
		pause=$((pause < 10 ? pause * 2 : 10))
	done
}
trap 'exit 1' USR1

# count prints the result of one task.
count() {
	local text=$1
	echo "$(tail -n +3 <<<"$text" | wc -w | tr -d ' ') words" # without the header
}

while true; do
	batch=$(call GET '/v1/inbox/wait?limit=1&wait=60s') || {
		sleep 5
		continue
	}
	while read -r item; do
		task=$(jq -r '.task // empty' <<<"$item")
		if [ -z "$task" ]; then
			jq -r '.text' <<<"$item"
			call POST /v1/inbox/ack "$(jq '{messages: [.message]}' <<<"$item")" >/dev/null
			continue
		fi
		call POST "/v1/tasks/$task/update" '{"note": "Counting."}' >/dev/null
		result=$(count "$(jq -r '.text' <<<"$item")")
		# The key is the same if the script is killed and does this again: the first end counts.
		call POST "/v1/tasks/$task/complete" "$(jq -n --arg r "$result" '{result: $r}')" "finish $task" >/dev/null ||
			call POST "/v1/tasks/$task/fail" '{"reason": "The result was refused."}' >/dev/null
	done < <(jq -c '.items[]' <<<"$batch")
done

package reading

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

// wants describes a call in one line that goes on after "wants to", and counts what
// that line leaves out of it.
func wants(a parley.Approval, target string) (line string, left int) {
	how, text, left := spoken(a.Args)
	if target == "" || text == "" {
		whole := "use " + a.Tool + " " + parley.ReadableArgs(a.Args)
		if command, ok := command(a); ok {
			whole = "run " + command
		}
		line = parley.Clip(whole, wantsRunes)
		return line, leftOut(whole, line)
	}
	if how == "" {
		how = "use " + a.Tool + " for"
	}
	said := how + " " + target + ": " + text
	line = parley.Clip(said, wantsRunes)
	return line, left + leftOut(said, line)
}

const wantsRunes = 200

// spoken reads what a contact says, and counts the characters of the arguments that
// are neither that nor to whom. All toolsets pass the text of a contact as message
// or task, and its pattern as action.
func spoken(args string) (how, text string, left int) {
	var named map[string]json.RawMessage
	_ = json.Unmarshal([]byte(args), &named) // other arguments are shown as they are
	word := func(name string) (s string) {
		_ = json.Unmarshal(named[name], &s)
		return s
	}
	how, text = word("action"), word("message")
	told := "message"
	if text == "" {
		text, told = word("task"), "task"
	}
	for name, value := range named {
		switch name {
		case told, "action", "agentId", "target", "target_agent":
		default:
			left += utf8.RuneCount(value)
		}
	}
	return how, text, left
}

// leftOut is how many characters a line leaves out of a text. A gap that it closes
// counts too.
func leftOut(text, line string) int {
	if text == line {
		return 0
	}
	kept := utf8.RuneCountInString(strings.TrimSuffix(line, "…"))
	return max(0, utf8.RuneCountInString(text)-kept)
}

// command is the command that a call runs, exactly as the shell reads it, with where and
// for how long if the call says so. Whoever decides about a call with anything else in it
// is shown its arguments instead: what a reader here takes for one command may be another
// where it runs.
func command(a parley.Approval) (string, bool) {
	given, ok := once(a.Args)
	if a.Tool != "shell" || !ok {
		return "", false
	}
	var text, folder string
	var seconds int
	for name, into := range map[string]any{"command": &text, "folder": &folder, "timeout_seconds": &seconds} {
		if value, ok := given[name]; ok && json.Unmarshal(value, into) != nil {
			return "", false
		}
		delete(given, name)
	}
	if len(given) > 0 || strings.TrimSpace(text) == "" || !oneLine(text) || !oneLine(folder) {
		return "", false
	}
	var aside []string
	if folder != "" {
		aside = append(aside, "in "+folder)
	}
	if seconds != 0 {
		aside = append(aside, fmt.Sprintf("for up to %d s", seconds))
	}
	if aside != nil {
		text = strings.Join(aside, " ") + ": " + text
	}
	return text, true
}

// oneLine reports whether a text can be shown as it is: it has no line breaks, and
// nothing that cannot be seen.
func oneLine(text string) bool {
	return parley.ShownArgs(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) })
}

// once reads the members of a JSON object in which no name stands twice.
func once(object string) (map[string]json.RawMessage, bool) {
	d := json.NewDecoder(strings.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		if _, twice := members[name.(string)]; twice {
			return nil, false
		}
		members[name.(string)] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return members, err == io.EOF
}

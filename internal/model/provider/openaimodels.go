package provider

import (
	"regexp"
	"strings"
)

// What OpenAI's models can do is only told by their names.
var (
	responsesNames = regexp.MustCompile(`(?i)^(o[1-9]|codex|gpt-3\.5-turbo|gpt-oss)|gpt-([4-9](\D|$)|1\d)`)
	thinkingNames  = regexp.MustCompile(`(?i)(^|[-/])(o[1-9]|oss)|gpt-([5-9](\D|$)|1\d)|codex`)
)

// hasResponses reports whether a model of OpenAI's is asked in Responses.
func hasResponses(name string) bool { return responsesNames.MatchString(name) }

// inThinkingFamily reports whether a model is of a family that thinks, wherever it
// runs.
func inThinkingFamily(name string) bool { return thinkingNames.MatchString(name) }

// thinks leaves out those of such a family that are made for chats.
func thinks(name string) bool {
	return inThinkingFamily(name) && !strings.Contains(strings.ToLower(name), "-chat")
}

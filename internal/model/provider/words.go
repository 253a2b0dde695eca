package provider

import (
	"regexp"
	"strconv"
)

// tooLong are the words of providers for it.
var tooLong = []string{"context_length_exceeded", "maximum context length", "prompt is too long", "input token count",
	"context window", "input is too long", "exceeds the available context size", "max context length", "context limit",
	"context length of only", "maximum prompt length", "request too large", "context the overflows"}

// tooLongCodes are their names for it, which are not in what anybody wrote.
var tooLongCodes = []string{"context_length_exceeded", "exceed_context_size", "request_too_large", "string_above_max_length"}

// aDay are words for a limit that waiting does not help against before tomorrow.
var aDay = []string{"perday", "per day", "per-day", "(rpd)", "(tpd)", "daily"}

// tooBusy are words for a provider that has too much to do at the moment.
var tooBusy = []string{"overloaded", "high demand", "capacity", "busy", "too many requests"}

// windowWords are the ways in which providers say how much a model reads.
var windowWords = []*regexp.Regexp{
	regexp.MustCompile(`tokens? > (\d+) maximum`),                         // Anthropic
	regexp.MustCompile(`context limit: \d+ \+ \d+ > (\d+)`),               // Anthropic, with the reply
	regexp.MustCompile(`maximum (?:context|prompt) length is (\d+)`),      // OpenAI, vLLM, OpenRouter, xAI
	regexp.MustCompile(`maximum number of tokens allowed \(?(\d+)`),       // Gemini
	regexp.MustCompile(`context size \(?(\d+)`),                           // llama.cpp
	regexp.MustCompile(`"n_ctx": ?(\d+)`),                                 // llama.cpp
	regexp.MustCompile(`context length of only (\d+)`),                    // LM Studio
	regexp.MustCompile(`(\d+) maximum context length`),                    // Mistral
	regexp.MustCompile(`(?:max|maximum) context length (?:of |\()?(\d+)`), // Ollama
	regexp.MustCompile(`request too large.*limit:? (\d+)`),                // a limit for each minute that one request exceeds
}

// countWords are the ways in which they say how much they were given.
var countWords = []*regexp.Regexp{
	regexp.MustCompile(`too long: (\d+) tokens?`),
	regexp.MustCompile(`context limit: (\d+) \+`),
	regexp.MustCompile(`(?:resulted in|you requested about|you requested|request contains|prompt contains|requested:?) (\d+)`),
	regexp.MustCompile(`input token count \(?(\d+)`),
	regexp.MustCompile(`request \((\d+) tokens\)`),
	regexp.MustCompile(`"n_prompt_tokens": ?(\d+)`),
}

// inThousands is a number that is written with commas.
var inThousands = regexp.MustCompile(`(\d),(\d\d\d)`)

// figures are what a refusal says of a model's window and of the request; 0 where it
// says nothing.
func figures(message string) (window, counted int) {
	message = inThousands.ReplaceAllString(message, "$1$2")
	first := func(list []*regexp.Regexp) int {
		for _, words := range list {
			if found := words.FindStringSubmatch(message); found != nil {
				n, _ := strconv.Atoi(found[1]) // too many digits are as good as none
				return n
			}
		}
		return 0
	}
	return first(windowWords), first(countWords)
}

package parley

import (
	"strconv"
	"strings"
)

// Choices splits what an agent asks a person into the question and the answers to
// choose from. They are the numbered lines at the end of the text, counted from 1,
// after an empty line. There are none if the text does not end so.
func Choices(text string) (question string, options []string) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at := strings.LastIndex(text, "\n\n")
	if at < 0 {
		return text, nil
	}
	for i, line := range strings.Split(text[at+2:], "\n") {
		option, numbered := strings.CutPrefix(line, strconv.Itoa(i+1)+". ")
		if option = strings.TrimSpace(option); !numbered || option == "" {
			return text, nil
		}
		options = append(options, option)
	}
	return strings.TrimRight(text[:at], "\n"), options
}

// Chosen is the answer that somebody means: the text of the option whose number they
// gave, otherwise what they said. The asker reads that, never the number.
func Chosen(answer string, options []string) string {
	if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(answer), ".")); err == nil && n >= 1 && n <= len(options) {
		return options[n-1]
	}
	return answer
}

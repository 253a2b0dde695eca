package scripted

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"parley"
)

// text is a text of the script. What stands in {{...}} is filled in for each
// scene. The zero text is empty.
type text struct {
	fixed string      // the whole text, if there is nothing to fill in
	tree  *parse.Tree // nil if there is nothing to fill in
	place string      // in the file, for errors while it is filled in
}

func (t text) empty() bool { return t.tree == nil && t.fixed == "" }

// newText reads a text. match is the pattern of the rule around it, or nil: it
// says which groups there are.
func newText(source string, match *regexp.Regexp) (text, error) {
	if !strings.Contains(source, "{{") {
		return text{fixed: source}, nil
	}
	tree, trees := parse.New(""), map[string]*parse.Tree{}
	tree.Mode = parse.SkipFuncCheck // check knows which words there are
	if _, err := tree.Parse(source, "", "", trees); err != nil {
		return text{}, syntaxError(err)
	}
	if len(trees) > 1 {
		return text{}, fmt.Errorf("{{define}} is not known; there are %s", knownWords)
	}
	for _, n := range tree.Root.Nodes {
		if err := check(n, match); err != nil {
			return text{}, fmt.Errorf("in %s: %w", parley.Clip(n.String(), 60), err)
		}
	}
	return text{tree: tree}, nil
}

// syntaxError is the message of text/template without its own idea of the place.
func syntaxError(err error) error {
	_, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: :"), ": ")
	if message == strconv.ErrSyntax.Error() {
		message = "unknown escape; between \" every \\ is written twice, between ` once"
	}
	return fmt.Errorf("{{…}} cannot be read: %s", message)
}

// fill is the text for a scene.
func (t text) fill(sc *scene) (string, error) {
	if t.tree == nil {
		return t.fixed, nil
	}
	filled, err := template.New("").Funcs(sc.words()).AddParseTree("", t.tree)
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.place, err)
	}
	var b strings.Builder
	if err := filled.Execute(&b, nil); err != nil {
		var m missing
		if errors.As(err, &m) { // without the words that text/template puts around it
			err = m
		}
		return "", fmt.Errorf("%s: %w", t.place, err)
	}
	return b.String(), nil
}

// missing says that what a text wants is not in the conversation.
type missing string

func (m missing) Error() string { return string(m) }

// words are what may stand in {{...}}. Adding one means adding it to check too.
func (sc *scene) words() template.FuncMap {
	return template.FuncMap{
		"agent":        func() string { return sc.req.Agent },
		"body":         func() string { return body(sc.input) },
		"capture":      capture,
		"conversation": func() string { return transcript(sc.req.Messages) },
		"input":        func() string { return sc.input },
		"match":        sc.match,
		"request":      sc.request,
		"result":       sc.result,
		"results":      sc.jobResults,
	}
}

// capture is what a pattern finds in a text: its first group, or all of it if
// it has none.
func capture(pattern, text string) (string, error) {
	re := regexp.MustCompile(pattern) // check has compiled it before
	found := re.FindStringSubmatch(text)
	if found == nil {
		return "", missing(fmt.Sprintf("{{capture}}: `%s` is not in: %s", pattern, parley.Clip(text, 100)))
	}
	return found[min(1, re.NumSubexp())], nil
}

// match is what the rule's pattern found: all of it, or a group by its number or
// its name.
func (sc *scene) match(group ...any) string {
	n := 0
	if len(group) > 0 {
		switch g := group[0].(type) {
		case int:
			n = g
		case string:
			n = sc.rule.match.SubexpIndex(g)
		}
	}
	from, to := sc.groups[2*n], sc.groups[2*n+1]
	if from < 0 { // an optional group that took no part
		return ""
	}
	return sc.input[from:to]
}

// request is what began the job.
func (sc *scene) request() (string, error) {
	start := jobStart(sc.req.Messages, sc.at)
	if start < 0 {
		return "", missing("{{request}}: the request is no longer in the conversation")
	}
	return body(sc.req.Messages[start].Text), nil
}

// result is the last tool result since the input, or the nth.
func (sc *scene) result(nth ...int) (string, error) {
	n := len(sc.results)
	switch {
	case n == 0:
		return "", missing("{{result}}: there is no tool result yet")
	case len(nth) == 0:
		return sc.results[n-1], nil
	case nth[0] > n:
		return "", missing(fmt.Sprintf("{{result %d}}: there are only %d tool results", nth[0], n))
	}
	return sc.results[nth[0]-1], nil
}

// jobResults are the delegation results of the job so far.
func (sc *scene) jobResults() string {
	from := max(0, jobStart(sc.req.Messages, sc.at))
	return results(sc.req.Messages[from : sc.at+1])
}

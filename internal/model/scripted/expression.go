package scripted

import (
	"fmt"
	"regexp"
	"strconv"

	"parley"
)

// expression is a word with its arguments: result, match 1,
// capture `\d+` (result 2).
type expression struct {
	tokens []token
	match  *regexp.Regexp
}

// parse reads the whole expression.
func (e *expression) parse() (part, error) {
	p, err := e.call()
	if err == nil && len(e.tokens) > 0 {
		err = fmt.Errorf("%q is one too many", e.tokens[0].text)
	}
	return p, err
}

// next takes the first token if it is of the given kind.
func (e *expression) next(k kind) (token, bool) {
	if len(e.tokens) == 0 || e.tokens[0].kind != k {
		return token{}, false
	}
	t := e.tokens[0]
	e.tokens = e.tokens[1:]
	return t, true
}

func (e *expression) call() (part, error) {
	if t, ok := e.next(quoted); ok { // {{"{{"}} is how to write two braces
		return literal(t.text), nil
	}
	t, ok := e.next(word)
	if !ok {
		return nil, fmt.Errorf("a word is missing; there are %s", knownWords)
	}
	switch t.text {
	case "match":
		return e.matchCall()
	case "result":
		return e.resultCall()
	case "capture":
		return e.captureCall()
	default:
		return plainCall(t.text)
	}
}

// argument is an expression as an argument of another: a bare word, a quoted
// text, or anything in parentheses.
func (e *expression) argument() (part, error) {
	if _, ok := e.next(open); ok {
		p, err := e.call()
		if _, ok := e.next(shut); err == nil && !ok {
			err = fmt.Errorf(`")" is missing`)
		}
		return p, err
	}
	if len(e.tokens) == 0 {
		return nil, fmt.Errorf("it does not say where to look; for example: capture `task-[0-9]+` result")
	}
	inner := expression{tokens: e.tokens[:1], match: e.match}
	e.tokens = e.tokens[1:]
	return inner.parse()
}

const knownWords = "agent, body, capture, conversation, input, match, request, result and results"

// plainCall is a word that takes no arguments.
func plainCall(name string) (part, error) {
	switch name {
	case "agent":
		return func(sc *scene) (string, error) { return sc.req.Agent, nil }, nil
	case "input":
		return func(sc *scene) (string, error) { return sc.input, nil }, nil
	case "body":
		return func(sc *scene) (string, error) { return body(sc.input), nil }, nil
	case "request":
		return requestPart, nil
	case "results":
		return func(sc *scene) (string, error) {
			from := max(0, jobStart(sc.req.Messages, sc.at))
			return results(sc.req.Messages[from : sc.at+1]), nil
		}, nil
	case "conversation":
		return func(sc *scene) (string, error) { return transcript(sc.req.Messages), nil }, nil
	default:
		return nil, fmt.Errorf("%q is not known; there are %s", name, knownWords)
	}
}

func requestPart(sc *scene) (string, error) {
	start := jobStart(sc.req.Messages, sc.at)
	if start < 0 {
		return "", fmt.Errorf("{{request}}: the request is no longer in the conversation")
	}
	return body(sc.req.Messages[start].Text), nil
}

// unmatchedText is the reply to an input without a rule: said and not failed,
// so that a script can be written one rule at a time.
func unmatchedText(sc *scene) (string, error) {
	return fmt.Sprintf("The script has no rule for %s that matches: %s", sc.req.Agent, parley.Clip(sc.input, 100)), nil
}

// matchCall is match, match 1 or match "name".
func (e *expression) matchCall() (part, error) {
	if e.match == nil {
		return nil, fmt.Errorf("the rule has no match pattern to take it from")
	}
	group := 0
	if t, ok := e.next(number); ok {
		group, _ = strconv.Atoi(t.text)
	} else if t, ok := e.next(quoted); ok {
		if group = e.match.SubexpIndex(t.text); group < 0 {
			return nil, fmt.Errorf("the match pattern has no group named %q", t.text)
		}
	}
	if group > e.match.NumSubexp() {
		return nil, fmt.Errorf("the match pattern has no group %d", group)
	}
	return func(sc *scene) (string, error) {
		from, to := sc.groups[2*group], sc.groups[2*group+1]
		if from < 0 { // an optional group that took no part
			return "", nil
		}
		return sc.input[from:to], nil
	}, nil
}

// resultCall is result, the last tool result since the input, or result N.
func (e *expression) resultCall() (part, error) {
	n := 0
	if t, ok := e.next(number); ok {
		if n, _ = strconv.Atoi(t.text); n < 1 {
			return nil, fmt.Errorf("tool results are counted from 1")
		}
	}
	return func(sc *scene) (string, error) {
		switch {
		case len(sc.results) == 0:
			return "", fmt.Errorf("{{result}}: there is no tool result yet")
		case n > len(sc.results):
			return "", fmt.Errorf("{{result %d}}: there are only %d tool results", n, len(sc.results))
		case n == 0:
			return sc.results[len(sc.results)-1], nil
		default:
			return sc.results[n-1], nil
		}
	}, nil
}

// captureCall is capture `pattern` text: the first group of the pattern, or
// all that it matched when it has no group.
func (e *expression) captureCall() (part, error) {
	t, ok := e.next(quoted)
	if !ok {
		return nil, fmt.Errorf("capture wants a quoted pattern and where to look for it")
	}
	re, err := regexp.Compile(t.text)
	if err != nil {
		return nil, err
	}
	where, err := e.argument()
	if err != nil {
		return nil, err
	}
	group := min(1, re.NumSubexp())
	return func(sc *scene) (string, error) {
		text, err := where(sc)
		if err != nil {
			return "", err
		}
		found := re.FindStringSubmatch(text)
		if found == nil {
			return "", fmt.Errorf("{{capture}}: `%s` is not in: %s", re, parley.Clip(text, 100))
		}
		return found[group], nil
	}, nil
}

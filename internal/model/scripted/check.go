package scripted

import (
	"fmt"
	"regexp"
	"strconv"
	"text/template/parse"
)

const knownWords = "agent, body, capture, conversation, input, match, request, result and results"

// check finds when the script is loaded what text/template would notice only
// while filling in. So that this is all that can be wrong, it allows nothing but
// our own words: no conditions, loops, variables or pipes.
func check(n parse.Node, match *regexp.Regexp) error {
	switch n := n.(type) {
	case *parse.TextNode:
		return nil
	case *parse.ActionNode:
		return checkPipe(n.Pipe, match)
	default:
		return fmt.Errorf("only words can stand here; there are %s", knownWords)
	}
}

func checkPipe(p *parse.PipeNode, match *regexp.Regexp) error {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return fmt.Errorf("only one word with its arguments can stand here; there are %s", knownWords)
	}
	args := p.Cmds[0].Args
	return checkWord(args[0], args[1:], match)
}

func checkWord(word parse.Node, args []parse.Node, match *regexp.Regexp) error {
	most := 0 // how many arguments it takes
	var err error
	name := ""
	if w, ok := word.(*parse.IdentifierNode); ok {
		name = w.Ident
	}
	switch name {
	case "agent", "body", "conversation", "input", "request", "results":
	case "match":
		most, err = 1, checkMatch(args, match)
	case "result":
		most, err = 1, checkResult(args)
	case "capture":
		most, err = 2, checkCapture(args, match)
	default:
		if _, ok := word.(*parse.StringNode); !ok { // {{"{{"}} is how to write two braces
			return fmt.Errorf("%q is not known; there are %s", word, knownWords)
		}
	}
	if err == nil && len(args) > most {
		err = fmt.Errorf("%q is one too many", args[most])
	}
	return err
}

func checkMatch(args []parse.Node, match *regexp.Regexp) error {
	switch {
	case match == nil:
		return fmt.Errorf("the rule has no match pattern to take it from")
	case len(args) == 0:
		return nil
	}
	if name, ok := args[0].(*parse.StringNode); ok {
		if match.SubexpIndex(name.Text) < 0 {
			return fmt.Errorf("the match pattern has no group named %q", name.Text)
		}
		return nil
	}
	if n, ok := number(args[0]); !ok || n > match.NumSubexp() {
		return fmt.Errorf("the match pattern has no group %s", args[0])
	}
	return nil
}

func checkResult(args []parse.Node) error {
	if len(args) == 0 {
		return nil
	}
	if n, ok := number(args[0]); !ok || n < 1 {
		return fmt.Errorf("tool results are counted from 1")
	}
	return nil
}

// number is a whole number as people write it. text/template would also take
// 010 for eight and 'a' for 97.
func number(n parse.Node) (int, bool) {
	digits, ok := n.(*parse.NumberNode)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(digits.Text)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == digits.Text
}

func checkCapture(args []parse.Node, match *regexp.Regexp) error {
	var pattern *parse.StringNode
	if len(args) > 0 {
		pattern, _ = args[0].(*parse.StringNode)
	}
	if pattern == nil {
		return fmt.Errorf("capture wants a quoted pattern and where to look for it")
	}
	if _, err := regexp.Compile(pattern.Text); err != nil {
		return err
	}
	if len(args) == 1 {
		return fmt.Errorf("it does not say where to look; for example: capture `task-[0-9]+` result")
	}
	if inner, ok := args[1].(*parse.PipeNode); ok {
		return checkPipe(inner, match)
	}
	return checkWord(args[1], nil, match)
}

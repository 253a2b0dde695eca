package scripted

import (
	"github.com/goccy/go-yaml/ast"

	"parley"
	"parley/internal/model"
)

// usage reads what a step says that it consumes: {input: 100, output: 20, money:
// 0.01, estimate: 400}.
func (s source) usage(n ast.Node) (*spending, error) {
	if n == nil {
		return nil, nil
	}
	f, err := s.fields(n, "usage", "input", "output", "money", "estimate")
	if err != nil {
		return nil, err
	}
	var u spending
	for key, into := range map[string]*int64{"input": &u.Input, "output": &u.Output, "estimate": &u.estimate} {
		if v, ok := f[key]; ok {
			if *into, err = s.tokens(v, key); err != nil {
				return nil, err
			}
		}
	}
	if v, ok := f["money"]; ok {
		u.Cost, err = s.money(v)
	}
	return &u, err
}

func (s source) tokens(n ast.Node, what string) (int64, error) {
	text, err := s.text(n, what)
	if err != nil {
		return 0, err
	}
	tokens, ok := parley.ParseTokens(text)
	if !ok {
		return 0, s.errorf(n, "%s must be a number of tokens like 1200 or 50k, not %q", what, text)
	}
	return tokens, nil
}

func (s source) money(n ast.Node) (int64, error) {
	text, err := s.text(n, "money")
	if err != nil {
		return 0, err
	}
	m, ok := parley.ParseMoney(text)
	if !ok {
		return 0, s.errorf(n, "money must be an amount of dollars like 0.25, not %q", text)
	}
	return int64(m), nil
}

var _ model.Estimator = (*Script)(nil)

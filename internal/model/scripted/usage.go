package scripted

import (
	"parley"
	"parley/internal/model"
	"parley/internal/yamlfile"
)

var _ model.Estimator = (*Script)(nil)

// readUsage reads what a step says that it consumes: {input: 100, output: 20,
// money: 0.01, estimate: 400}.
func readUsage(v yamlfile.Value) (*spending, []yamlfile.Mistake) {
	var u spending
	_, found := v.Fields([]yamlfile.Key{
		key("input", yamlfile.Into(&u.Input, readTokens)),
		key("output", yamlfile.Into(&u.Output, readTokens)),
		key("money", yamlfile.Into(&u.Cost, readMoney)),
		key("estimate", yamlfile.Into(&u.estimate, readTokens)),
	})
	return &u, found
}

func readTokens(v yamlfile.Value) (int64, []yamlfile.Mistake) {
	s, found := v.Text()
	if found != nil {
		return 0, found
	}
	n, ok := parley.ParseTokens(s)
	if !ok {
		return 0, v.Wrong("Expected a number of tokens, like 1200 or 50k, not %q.", s)
	}
	return n, nil
}

func readMoney(v yamlfile.Value) (int64, []yamlfile.Mistake) {
	s, found := v.Text()
	if found != nil {
		return 0, found
	}
	m, ok := parley.ParseMoney(s)
	if !ok {
		return 0, v.Wrong("Expected an amount of US dollars, like 0.25, not %q.", s)
	}
	return int64(m), nil
}

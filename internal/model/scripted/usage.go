package scripted

import (
	"parley"
	"parley/internal/model"
	"parley/internal/yamlfile"
)

var _ model.Estimator = (*Script)(nil)

// readUsage reads what a step says that it consumes: {input: 100, output: 20,
// money: 0.01, estimate: 400}, or most: 8k for a model that can be kept short.
func readUsage(v yamlfile.Value) (*spending, []yamlfile.Mistake) {
	var u spending
	_, found := v.Fields([]yamlfile.Key{
		key("input", yamlfile.Into(&u.Input, readTokens)),
		key("output", yamlfile.Into(&u.Output, readTokens)),
		key("money", yamlfile.Into(&u.Cost, readMoney)),
		key("estimate", yamlfile.Into(&u.estimate, readTokens)),
		key("most", yamlfile.Into(&u.most, readTokens)),
	})
	if found == nil && u.most > 0 && (u.estimate > 0 || u.most < u.Output) {
		found = v.Wrong("most is the longest reply, in place of estimate and not less than output.")
	}
	return &u, found
}

// Quote implements model.Limited for a step that says how long it could be at most.
func (s *Script) Quote(req model.Request) (model.Quote, bool) {
	_, st := s.replay(&req)
	if st == nil || st.fail != nil || st.usage == nil || st.usage.most == 0 {
		return model.Quote{}, false
	}
	u := st.usage
	q := model.Quote{Input: u.Input, MaxOutput: u.most}
	if tokens := u.Input + u.Output; tokens > 0 {
		q.OutputPrice = float64(u.Cost) / float64(tokens)
		q.InputCost = int64(q.OutputPrice * float64(u.Input))
	}
	return q, true
}

// cut is what is left of a reply that is longer than its request allows: what it
// consumed up to there.
func (s *step) cut(req *model.Request) (model.Reply, bool) {
	u := s.usage
	if u == nil || u.most == 0 || req.MaxOutput == 0 || req.MaxOutput >= u.most || u.Output <= req.MaxOutput {
		return model.Reply{}, false
	}
	used := u.Usage
	used.Output = req.MaxOutput
	used.Cost = u.Cost * (used.Input + used.Output) / (u.Input + u.Output)
	return model.Reply{Usage: used, Cut: req.MaxOutput}, true
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

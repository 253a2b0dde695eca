package claim

import (
	"slices"
	"testing"

	"parley"
)

func TestWhomItConcerns(t *testing.T) {
	for name, c := range map[string]struct{ busy, alike, want []parley.AgentID }{
		"nobody":                            {nil, nil, nil},
		"who works on it":                   {[]parley.AgentID{3, 2}, nil, []parley.AgentID{2, 3}},
		"once, however they work on it":     {[]parley.AgentID{2, 2, 3, 2}, nil, []parley.AgentID{2, 3}},
		"not the same role besides":         {[]parley.AgentID{2}, []parley.AgentID{4, 5}, []parley.AgentID{2}},
		"else the same role":                {nil, []parley.AgentID{1, 5, 4}, []parley.AgentID{4, 5}},
		"never oneself":                     {[]parley.AgentID{1}, []parley.AgentID{1}, nil},
		"the role, if only oneself is busy": {[]parley.AgentID{1, 1}, []parley.AgentID{1, 4}, []parley.AgentID{4}},
	} {
		if got := concerns(1, c.busy, c.alike); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

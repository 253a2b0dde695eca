package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
	"parley/internal/model/provider"
	"parley/internal/model/wiretest"
)

// Every provider is told the limit of a request. A reply that it cuts off is no failure,
// whatever was being said, and nothing of it is left but what it has cost.
func TestTheLimitOfARequest(t *testing.T) {
	usage := model.Usage{Input: 100, Output: 12, CacheRead: 40}
	counted := model.Usage{Input: 100, Output: 12, CacheRead: 40, Cost: 200 + 120 + 40}
	half := []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"`}}
	short := request
	short.MaxOutput = 12
	for _, c := range []struct {
		name  string
		reply wiretest.Reply
		want  model.Reply
	}{
		{"text", wiretest.Reply{Text: "Once upon", Finish: wiretest.TooLong, Usage: usage}, model.Reply{Usage: counted, Cut: 12}},
		{"a call", wiretest.Reply{Calls: half, Finish: wiretest.TooLong, Usage: usage}, model.Reply{Usage: counted, Cut: 12}},
		{"not cut", wiretest.Reply{Text: "Yes.", Usage: usage}, model.Reply{Text: "Yes.", Usage: counted}},
		{"at the model's own end", wiretest.Reply{Text: "Once upon", Finish: wiretest.TooLong, Usage: model.Usage{Input: 100, Output: 2}},
			model.Reply{Text: "Once upon\n\n[The reply was cut off at 100 tokens.]", Usage: model.Usage{Input: 100, Output: 2, Cost: 220}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, kind provider.Kind, name string) {
				b := set(t, kind, name, wiretest.InTurn(c.reply), nil)
				got, err := b.ask(t.Context(), short)
				if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
					t.Errorf("%v\n-want +got:\n%s", err, diff)
				}
				if body := string(b.server.Requests()[0].Body); !strings.Contains(body, `okens":12`) {
					t.Errorf("sent: %s", body)
				}
			})
		})
	}
}

// A limit beyond what the model can say changes nothing.
func TestALimitBeyondTheModel(t *testing.T) {
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Once", Finish: wiretest.TooLong, Usage: model.Usage{Output: 100}}), nil)
		wide := request
		wide.MaxOutput = 5000
		got, err := b.ask(t.Context(), wide)
		if err != nil || got.Cut != 0 || !strings.Contains(string(b.server.Requests()[0].Body), `okens":100`) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

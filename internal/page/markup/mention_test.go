package markup_test

import (
	"strings"
	"testing"

	"parley/internal/page/markup"
)

func TestNamesBecomeLinks(t *testing.T) {
	named := func(folded string) (name string, you, ok bool) {
		switch folded {
		case "mira":
			return "Mira", true, true
		case "databot":
			return "DataBot", false, true
		case "data analyst":
			return "Data Analyst", false, true
		}
		return "", false, false
	}
	for _, c := range []struct{ text, want string }{
		{"@databot, look", `<p><a class="at" href="/agents/DataBot">@DataBot</a>, look</p>`},
		{"hi @Mira!", `<p>hi <a class="at at-you" href="/agents/Mira">@Mira</a>!</p>`},
		{"@Data Analyst and @Nobody", `<p><a class="at" href="/agents/Data%20Analyst">@Data Analyst</a> and @Nobody</p>`},
		{"**@Mira** `@Mira`", `<p><strong><a class="at at-you" href="/agents/Mira">@Mira</a></strong> <code>@Mira</code></p>`},
		{"me@mira.example", `mira.example`},
		{`<span class="at">@Mira</span>`, `&lt;span class=&#34;at&#34;&gt;<a class="at at-you" href="/agents/Mira">@Mira</a>&lt;/span&gt;`},
		{"[x](/signout)", `<p>x</p>`},
	} {
		got := strings.TrimSpace(string(markup.NewDrawn(0).Mentioning(c.text, named)))
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: got  %s\nwant %s", c.text, got, c.want)
		}
	}
	for _, text := range []string{"me@mira.example", "me@Mira, you@DataBot"} {
		if got := string(markup.NewDrawn(0).Mentioning(text, named)); strings.Contains(got, "/agents/") {
			t.Errorf("%q mentions somebody: %s", text, got)
		}
	}
}

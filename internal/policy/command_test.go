package policy_test

import (
	"testing"

	"parley/internal/policy"
)

func TestCommandsInFolders(t *testing.T) {
	for _, c := range []struct{ folder, script, want string }{
		{"", "go test", "tool:shell:go test"},
		{".", "go test", "tool:shell:go test"},
		{"./web/..", "go test", "tool:shell:go test"},
		{"web", "go test", "tool:shell:cd web && go test"},
		{"./web//api/", "go test", "tool:shell:cd web/api && go test"},
		{"my web", "ls", "tool:shell:cd 'my web' && ls"},
		{"$HOME", "ls", "tool:shell:cd '$HOME' && ls"},
		{"it's", "ls", `tool:shell:cd 'it'\''s' && ls`},
		{"a && rm x", "ls", "tool:shell:cd 'a && rm x' && ls"},
		{"-", "ls", "tool:shell:cd ./- && ls"},
		{"../x", "ls", "tool:shell:cd ../x && ls"},
	} {
		if got := policy.Command(c.folder, c.script); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.script, c.folder, got, c.want)
		}
	}
}

// A rule that allows a command holds where the person saw it, and one that restricts it
// holds everywhere.
func TestAFolderIsPartOfACommand(t *testing.T) {
	own := func(preset string, p policy.Patterns) *policy.Rules {
		made, err := policy.NewProfile(preset, p)
		if err != nil {
			t.Fatal(err)
		}
		return &policy.Rules{Profile: made}
	}
	here, there := policy.Command("", "rm -r build"), policy.Command("src", "rm -r build")
	for _, c := range []struct {
		name         string
		rules        *policy.Rules
		action       string
		want         policy.Verdict
		alwaysAllows string
	}{
		{"allowed here, and run here", own("standard", allows(`tool:shell:rm -r build`)), here, policy.Allow, ""},
		{"allowed here, and run there", own("standard", allows(`tool:shell:rm -r build`)), there, policy.NeedsApproval, `allow:tool:shell:cd src && rm -r build`},
		{"allowed there, and run there", own("standard", allows(`tool:shell:cd src && rm -r build`)), there, policy.Allow, ""},
		{"allowed there, and run here", own("standard", allows(`tool:shell:cd src && rm -r build`)), here, policy.NeedsApproval, `allow:tool:shell:rm -r build`},
		{"allowed there, and run elsewhere", own("standard", allows(`tool:shell:cd src && rm -r build`)), policy.Command("lib", "rm -r build"), policy.NeedsApproval, `allow:tool:shell:cd lib && rm -r build`},
		{"all is allowed", own("standard", allows(`tool:shell:.*`)), there, policy.Allow, ""},
		{"denied, and run there", own("open", denies(`tool:shell:rm .*`)), there, policy.Deny, ""},
		{"denied, in a folder that needs quotes", own("open", denies(`tool:shell:rm .*`)), policy.Command("it's a && b", "rm -r build"), policy.Deny, ""},
		{"denied, over two lines", own("open", denies(`tool:shell:rm .*`)), policy.Command("src", "rm -r build\ntrue"), policy.Deny, ""},
		{"to be asked for, and run there", own("open", policy.Patterns{Ask: []string{`tool:shell:rm .*`}}), there, policy.NeedsApproval, `allow:tool:shell:cd src && rm -r build`},
	} {
		who := &policy.Party{Name: "writer", Key: "writer", Rules: c.rules}
		call := policy.Call{Action: c.action}
		if got := policy.Authorize(who, call).Verdict; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got, _ := policy.Always(who, call); got.Word != c.alwaysAllows {
			t.Errorf("%s: always is %q, want %q", c.name, got.Word, c.alwaysAllows)
		}
	}
}

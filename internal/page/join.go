package page

import (
	"errors"
	"net/http"
	"strings"

	"parley"
	"parley/internal/join"
	"parley/internal/policy"
	"parley/internal/rulebook"
	"parley/internal/token"
)

func (d *Door) registerJoin() {
	d.show("/join", "join", func(v *visit) (any, error) { return v.joinForm() })
	d.take("/join", func(v *visit) error {
		// The token is in this answer and nowhere else, so it is no redirect.
		joined, err := v.joinAgent()
		if e, ok := errors.AsType[*parley.Error](err); ok && (e.Rule == rulebook.RuleThere || e.Rule == token.RuleShown) {
			v.renderStatus(http.StatusConflict, "rejoin", Rejoin{Name: strings.TrimSpace(v.r.PostFormValue("name")), Client: v.r.PostFormValue("client"), Problem: d.problem(v.r, err)})
			return nil
		}
		if err == nil {
			v.w.Header().Set("Cache-Control", "no-store")
			v.render("joined", joined)
		}
		return err
	})
}

// JoinForm asks who joins, and with what.
type JoinForm struct {
	Name, Client string
	Clients      []join.Client
	Profiles     []string
	Profile      string
}

func (JoinForm) Titled() (title, here string) { return "Add a client agent", "/agents" }

func (v *visit) joinForm() (JoinForm, error) {
	q := v.r.URL.Query()
	return JoinForm{Name: q.Get("name"), Client: q.Get("client"), Clients: join.Clients(), Profiles: policy.Presets(), Profile: policy.DefaultPreset}, nil
}

// Joined is an agent that may join now, and what its client needs.
type Joined struct {
	Agent  Who
	Client join.Client
	Secret string
	URL    string
	Lines  []JoinLine
	Notes  []string
	Keep   string // the command that takes the token into a file
	Here   string // the command where the hub runs
}

func (Joined) Titled() (title, here string) { return "Add a client agent", "/agents" }

// Rejoin is an agent that is in the team already, for which a further token can be made.
type Rejoin struct {
	Name, Client string
	Problem      Problem
}

func (Rejoin) Titled() (title, here string) { return "Add a client agent", "/agents" }

// JoinLine is something to copy.
type JoinLine struct{ ID, Title, Text string }

func (v *visit) joinAgent() (Joined, error) {
	client, err := join.Find(v.r.PostFormValue("client"))
	if err != nil {
		return Joined{}, err
	}
	rules := v.rules()
	if rules == nil {
		return Joined{}, parley.Errorf(parley.NotFound, "This hub has no files of your team.").WithHint("Use parley join on the machine of the hub.")
	}
	name := strings.TrimSpace(v.r.PostFormValue("name"))
	if v.r.PostFormValue("again") == "" {
		name, err = rules.AddClient(v.ctx, v.Caller, name, strings.TrimSpace(v.r.PostFormValue("description")), v.r.PostFormValue("profile"))
	}
	if err != nil {
		return Joined{}, err
	}
	made, err := v.Tokens.Create(v.ctx, v.Caller, token.Request{For: name, Label: "joined with " + client.Name + " from the page", Once: true})
	if err != nil {
		return Joined{}, err
	}
	return v.joined(made, client), nil
}

// joined says what the client needs: the same that parley join writes for one that calls
// the hub by its address.
func (v *visit) joined(made token.Made, client join.Client) Joined {
	base := "http://" + v.r.Host
	if v.Gate.Secure(v.r) {
		base = "https://" + v.r.Host
	}
	file := "~/.parley-" + plainName(made.Owner) + ".token"
	s := join.Setup{Agent: made.Owner, Program: "parley", URL: base + "/mcp", TokenFile: file, HTTP: true, NoHooks: true,
		Getenv: func(name string) string {
			if name == "HOME" {
				return "~"
			}
			return ""
		}}
	j := Joined{Agent: Who{Name: made.Owner, Kind: string(parley.Client)}, Client: client, Secret: made.Secret, URL: s.URL,
		Keep: "(umask 077; cat > " + file + ")",
		Here: "parley join " + join.Quote([]string{made.Owner}) + " --client " + client.Name + " --write"}
	if client.Command != nil {
		if words := client.Command(s); len(words) > 0 {
			j.Lines = append(j.Lines, JoinLine{"line-command", "Or by its own command", join.Quote(words)})
		}
	}
	for i, f := range client.Files(s) {
		j.Lines = append(j.Lines, JoinLine{"line-file-" + string(rune('a'+i)), f.Path, strings.TrimRight(f.Sample(s), "\n")})
	}
	if len(j.Lines) > 1 && j.Lines[0].ID == "line-command" {
		j.Lines = append(j.Lines[1:], j.Lines[0])
	}
	if client.Notes != nil {
		for _, note := range client.Notes(s) {
			// A shell finds the home folder only where it is not quoted.
			j.Notes = append(j.Notes, strings.ReplaceAll(note, join.Quote([]string{file}), file))
		}
	}
	return j
}

// plainName is a name as part of a file's, which needs no quotes.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, name)
}

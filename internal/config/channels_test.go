package config

import "testing"

func TestChannels(t *testing.T) {
	team, problems, err := Load(teamDir(t, `-- parley.yaml --
model: scripted:script.yaml
people: [ada]
channels:
  - name: '#daily'
    topic: The day
    members: [writer, Ada, ghost]
  - {name: all, members: "*"}
-- agents/writer.md --
You write.
`))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	diff(t, "channels", []Channel{{Name: "daily", Topic: "The day", Members: []string{"writer", "Ada", "ghost"}}, {Name: "all", Members: []string{"*"}}}, team.Channels)
	diff(t, "warnings", []Problem{{File: "parley.yaml", Message: `The member "ghost" of #daily is not in this team's files.`}}, team.Warnings)
}

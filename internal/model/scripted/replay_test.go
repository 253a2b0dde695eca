package scripted

import (
	"testing"

	"parley"
)

const pairScript = `
agents:
  Pair:
    - match: 'go'
      steps:
        - {call: first}
        - {call: second}
        - {say: 'both done'}
    - match: '^\[Delegation Failed \| (\w+)'
      steps:
        - {call: replace, args: {who: '{{match 1}}'}}
        - {say: 'replaced, {{result}}'}
    - match: '^\[Delegation Result from (\w+)'
      steps:
        - {say: 'thanks, {{match 1}}'}
    - match: 'stop'
      steps:
        - {say: 'stopped'}
`

func TestStepsAreTakenInOrder(t *testing.T) {
	c := talk(t, "Pair", pairScript)
	c.hears("go")
	c.calls("first {}")
	c.returns("1")
	c.calls("second {}")
	c.returns("2")
	c.says("both done")
	c.says("") // the steps have run out
}

func TestANewInputBeginsAfresh(t *testing.T) {
	c := talk(t, "Pair", pairScript)
	c.hears("go")
	c.calls("first {}")
	c.returns("1")
	c.hears("stop")
	c.says("stopped")
	c.hears("go")
	c.calls("first {}")
}

func TestACallbackWaitsForTheStepsBeforeIt(t *testing.T) {
	c := talk(t, "Pair", pairScript)
	c.hears("go")
	c.calls("first {}")
	c.returns("1")
	c.hears(parley.ResultText("A", 1, "done"))
	c.calls("second {}") // not lost, although a result came first
	c.returns("2")
	c.says("thanks, A")
}

func TestCallbacksThatArriveTogetherAreAllFollowed(t *testing.T) {
	c := talk(t, "Pair", pairScript)
	c.hears("go")
	c.calls("first {}")
	c.returns("1")
	c.calls("second {}")
	c.returns("2")
	c.hears(parley.FailureText("A", 1, "broken"))
	c.hears(parley.FailureText("B", 2, "broken"))
	c.calls(`replace {"who":"A"}`)
	c.returns("A is replaced")
	c.hears(parley.ResultText("C", 3, "done"))
	c.calls(`replace {"who":"B"}`)
	c.returns("B is replaced")
	c.says("thanks, C")
	c.hears(parley.FailureText("D", 4, "broken"))
	c.calls(`replace {"who":"D"}`)
	c.returns("D is replaced")
	c.says("replaced, D is replaced")
}

// A turn that ends without words may leave no message behind.
func TestAnEmptyReplyMayBeMissing(t *testing.T) {
	c := talk(t, "A", `
agents:
  A:
    - match: 'Result'
      steps: [{call: store}, {say: ''}]
    - steps: [{call: begin}, {say: ''}]
`)
	c.hears("hello")
	c.calls("begin {}")
	c.returns("ok")
	c.hears(parley.ResultText("B", 1, "done"))
	c.calls("store {}")
	c.returns("ok")
	c.hears(parley.ResultText("C", 2, "done"))
	c.calls("store {}")
	c.returns("ok")
	c.says("")
}

func TestNotificationsAreNotInputs(t *testing.T) {
	const source = `
agents:
  A:
    - match: 'Notification'
      steps: [{say: 'I read it'}]
    - steps: [{call: look}, {say: 'I also heard {{capture "secret (\\w+)" conversation}}'}]
`
	c := talk(t, "A", source)
	c.hears("hello")
	c.hears(parley.NotificationText("B", "", "secret word"))
	c.calls("look {}")
	c.returns("ok")
	c.hears(parley.NotificationText("B", "", "hurry"))
	c.says("I also heard word")

	c = talk(t, "A", source)
	c.hears(parley.NotificationText("B", "", "nothing else is here"))
	c.says("I read it")
}

func TestWhen(t *testing.T) {
	const source = `
agents:
  A:
    - steps:
        - {call: ask, args: {who: first}}
        - {when: '^Error: busy', call: ask, args: {who: second}}
        - {when: '^Error: busy', call: ask, args: {who: third}}
        - {when: '^Error', say: 'nobody: {{result}}'}
        - {call: thank}
        - {say: '{{result 1}} / {{result}}'}
`
	tests := []struct {
		name    string
		results []string // of the asks
		want    string
		thanks  bool
	}{
		{name: "the first answers", results: []string{"yes"}, want: "yes / thanked", thanks: true},
		{name: "the second answers", results: []string{"Error: busy", "yes"}, want: "Error: busy / thanked", thanks: true},
		{name: "all are busy", results: []string{"Error: busy", "Error: busy", "Error: busy"}, want: "nobody: Error: busy"},
		{name: "another error", results: []string{"Error: broken"}, want: "nobody: Error: broken"},
		{name: "busy, then another error", results: []string{"Error: busy", "Error: broken"}, want: "nobody: Error: broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := talk(t, "A", source)
			c.hears("hello")
			for i, who := range []string{"first", "second", "third"}[:len(tt.results)] {
				c.calls(`ask {"who":"` + who + `"}`)
				c.returns(tt.results[i])
			}
			if tt.thanks {
				c.calls("thank {}")
				c.returns("thanked")
			}
			c.says(tt.want)
		})
	}
}

func TestSeen(t *testing.T) {
	const source = `
agents:
  A:
    - match: 'Result'
      seen: 2
      steps: [{say: 'all: {{results}}'}]
    - match: 'Result'
      steps: [{say: 'one more'}]
    - match: 'try'
      seen: 2
      steps: [{say: 'done this time'}]
    - match: 'try'
      steps: [{say: 'not yet'}]
`
	c := talk(t, "A", source)
	for range 2 { // the results of the first job do not count in the second
		c.hears("other")
		c.steps()
		c.hears(parley.ResultText("B", 1, "b"))
		c.says("one more")
		c.hears(parley.ResultText("C", 2, "c"))
		c.says("all: B: b\nC: c")
	}
	c.hears("try")
	c.says("not yet")
	c.hears("try")
	c.says("done this time")
}

func TestWhoseRules(t *testing.T) {
	const source = `
agents:
  Data Bot:
    - match: 'x'
      steps: [{say: 'found'}]
  "*":
    - steps: [{say: 'any'}]
`
	tests := []struct{ agent, input, want string }{
		{"Data Bot", "x", "found"},
		{"data bot", "x", "found"},
		{"Other", "x", "any"},
		{"Data Bot", "some\nthing", "The script has no rule for Data Bot that matches: some thing"},
	}
	for _, tt := range tests {
		c := talk(t, tt.agent, source)
		c.hears(tt.input)
		c.says(tt.want)
	}
	talk(t, "Other", source).says("any") // no input at all
	c := talk(t, "Stranger", "agents: {A: [steps: [say: a]]}")
	c.hears("hello")
	c.says("The script has no rule for Stranger that matches: hello")
}

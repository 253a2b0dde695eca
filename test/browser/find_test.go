package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/api"
)

// keen is a team in which questions travel: DataBot passes them to WriterBot, who passes
// them to Mira.
const keen = `
-- parley.yaml --
team: orchard
person: Mira
people: [Jonas]
lead: CoordinatorBot
model: scripted:script.yaml
limits: {rate: 6000}
channels:
  - {name: report, topic: The report for Q3, members: [CoordinatorBot, DataBot, WriterBot, Mira, Jonas]}
-- agents/CoordinatorBot.md --
---
toolsets: [contact, loom]
---
You coordinate.
-- agents/DataBot.md --
---
toolsets: [contact, loom]
---
You know the figures.
-- agents/WriterBot.md --
---
toolsets: [contact, loom]
---
You write.
-- script.yaml --
agents:
  CoordinatorBot:
    - match: 'find out'
      steps:
        - call: peer_ask_question
          args: {target: DataBot, question: 'Who signs the contract of Acme?'}
        - say: 'It was asked.'
    - match: 'put away (.*)'
      steps:
        - call: context_offload
          args: {topic: '{{match 1}}', message_count: 3}
        - say: '{{result}}'
    - steps: [{say: 'Noted.'}]
  DataBot:
    - match: 'ID: (query-\d+)'
      steps:
        - call: peer_forward_question
          args: {query_id: '{{match 1}}', target: WriterBot, enrichment: 'It is no figure.'}
        - say: 'Passed on.'
    - steps: [{say: 'Revenue of Acme was 4.3 million.'}]
  WriterBot:
    - match: 'ID: (query-\d+)'
      steps:
        - call: peer_forward_question
          args: {query_id: '{{match 1}}', target: Mira, enrichment: 'Only people sign.'}
        - say: 'Passed on.'
    - steps: [{say: 'Written.'}]
`

func TestAQuestionShowsItsPathAndIsAnswered(t *testing.T) {
	w := newWorld(t, keen)
	page := w.signIn()
	page.open("/questions")
	page.see("#asked", "No question is open.")
	w.contact("delegate", "CoordinatorBot", "Please find out who signs.")
	page.see("#asked", "Who signs the contract of Acme?")
	page.see("#asked", "passed on twice")
	page.click("#asked .asked a")
	page.see("#hop-0", "asked DataBot")
	page.see("#hop-1", "passed it on to WriterBot: It is no figure.")
	page.see("#hop-2", "passed it on to Mira: Only people sign.")
	page.see("#hop-3", "waits for you since")
	page.write("#answer", "Jonas does.")
	page.click("#question-act form .btn-1")
	page.see("#hop-3 .answer", "Jonas does.")
	page.see("#question-head", "answered")
	page.unseen("#question-act", "asks you")
	list, err := w.Questions(t.Context(), "", false, 10)
	if err != nil || len(list) != 1 || list[0].State != "answered" {
		t.Errorf("%+v: %v", list, err)
	}
	page.passOn()
}

// passOn passes one question on to somebody else and says of another that it is not known.
func (t *tab) passOn() {
	t.Helper()
	jonas := t.w.as("Jonas")
	ask := func(text string) {
		t.Helper()
		asked, err := jonas.AskQuestion(t.Context(), api.QuestionRequest{Question: text, Target: "Mira"})
		if err != nil {
			t.Fatal(err)
		}
		t.open("/questions/" + asked.ID)
		t.see("#question-act h2", "Jonas asks you")
		t.ready()
	}
	ask("Where is the contract?")
	t.click("#question-act summary")
	t.write("#forward-to", "@Nobody")
	t.write("#forward-why", "They file contracts.")
	t.press(kb.Enter)
	t.see("#question-act .form-problem", "Nobody")
	t.do(chromedp.SetValue(chromedp.CSS("#forward-to"), "@CoordinatorBot"))
	t.click("#question-act .fold-b button")
	t.see("#hop-1", "passed it on to CoordinatorBot: They file contracts.")
	t.unseen("#question-act", "asks you")
	ask("And the other one?")
	t.click("#question-act button[form=pass]")
	t.see("#hop-1", "does not know")
	t.unseen("#question-act", "asks you")
}

package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
)

// The examples of the protocol, with every text to the letter.

func TestExample1Ask(t *testing.T) {
	const (
		question = "What was our total Q4 2025 revenue, and how does it break down by product line?"
		context  = "I'm preparing the monthly investor update for the CEO. They want YoY comparisons included."
		answer   = "Based on the financial data:\n\n" +
			"**Q4 2025 Total Revenue: $2.4M** (up 18% YoY from $2.03M in Q4 2024)\n\n" +
			"Breakdown by product line:\n" +
			"- Platform subscriptions: $1.5M (63%) — up 22% YoY\n" +
			"- Professional services: $620K (26%) — up 12% YoY\n" +
			"- Marketplace fees: $280K (11%) — up 15% YoY"
		request = "[Agent Request from CoordinatorBot | Pattern: ask]\n\nContext: " + context + "\n\n" + question
	)
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: investor update
      steps:
        - call: contact_agent
          args:
            action: ask
            agentId: DataBot
            message: 'What was our total Q4 2025 revenue, and how does it break down by product line?'
            context: "I'm preparing the monthly investor update for the CEO. They want YoY comparisons included."
        - say: 'The update is ready.'
  DataBot:
    - match: total Q4 2025 revenue
      steps:
        - say: |-
            Based on the financial data:

            **Q4 2025 Total Revenue: $2.4M** (up 18% YoY from $2.03M in Q4 2024)

            Breakdown by product line:
            - Platform subscriptions: $1.5M (63%) — up 22% YoY
            - Professional services: $620K (26%) — up 12% YoY
            - Marketplace fees: $280K (11%) — up 15% YoY
`}, func(s *Stage) {
		s.Equal("answer", "The update is ready.", s.As("rutger").Ask("CoordinatorBot", "Prepare the investor update."))
		s.Equal("what DataBot reads", []string{"user: " + request}, s.Saw("DataBot", 1))
		s.Equal("what CoordinatorBot reads", []string{"Response from DataBot: " + answer}, s.Results(101))
		s.Equal("the dm", []Said{
			{"CoordinatorBot", parley.AskMessage, request},
			{"DataBot", parley.ReplyMessage, answer},
		}, s.DM("CoordinatorBot", "DataBot"))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 DataBot completed\n", s.Tree(101))
	})
}

func TestExample2DelegateWithCallback(t *testing.T) {
	const (
		work    = "Draft a 500-word blog post about our Q4 achievements. Focus on the new product launches and customer growth."
		context = "This is for the company website. The user (Rutger) wants it published by Friday."
		request = "[Agent Request from CoordinatorBot | Pattern: delegate | Priority: high | Task: task-102]\n\nContext: " + context + "\n\n" + work
		result  = "Blog post draft completed. Saved as \"Q4 Blog Post Draft\" in content folder."
	)
	Play(t, Team{Agents: []string{"CoordinatorBot", "WriterBot"}, Script: `
agents:
  CoordinatorBot:
    - match: investor update
      steps:
        - call: contact_agent
          args:
            action: delegate
            agentId: WriterBot
            priority: high
            message: 'Draft a 500-word blog post about our Q4 achievements. Focus on the new product launches and customer growth.'
            context: 'This is for the company website. The user (Rutger) wants it published by Friday.'
        - say: 'WriterBot is on it.'
    - match: '^\[Delegation Result from WriterBot'
      steps:
        - say: 'The post is ready.'
  WriterBot:
    - steps:
        - wait: 3m
          say: 'Blog post draft completed. Saved as "Q4 Blog Post Draft" in content folder.'
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Prepare the investor update.")
		s.Pass(time.Minute)
		s.Equal("what CoordinatorBot reads at once", []string{
			"Delegated to WriterBot (subtask task-102). You'll receive the result automatically when WriterBot finishes.",
		}, s.Results(root))
		s.Equal("status meanwhile", parley.StatusAwaitingDelegation, s.Status("CoordinatorBot"))
		s.Equal("tree meanwhile", "task-101 CoordinatorBot waiting\n  task-102 WriterBot running\n", s.Tree(root))
		s.Wait(root)
		s.Equal("what WriterBot reads", []string{"user: " + request}, s.Saw("WriterBot", 1))
		s.Equal("what CoordinatorBot reads at last", []string{
			"user: [Agent Request from rutger | Pattern: delegate | Priority: normal | Task: task-101]\n\nPrepare the investor update.",
			"assistant: ",
			"tool: Delegated to WriterBot (subtask task-102). You'll receive the result automatically when WriterBot finishes.",
			"assistant: WriterBot is on it.",
			"user: [Delegation Result from WriterBot | task-102]\n" + result,
		}, s.Saw("CoordinatorBot", -1))
		s.Equal("their dm", []Said{
			{"CoordinatorBot", parley.DelegateMessage, request},
			{"WriterBot", parley.ReplyMessage, result},
		}, s.DM("CoordinatorBot", "WriterBot"))
		s.Equal("the channel of CoordinatorBot's task", []Said{
			{"rutger", parley.DelegateMessage, "[Agent Request from rutger | Pattern: delegate | Priority: normal | Task: task-101]\n\nPrepare the investor update."},
			{"CoordinatorBot", parley.ReplyMessage, "WriterBot is on it."},
			{"WriterBot", parley.ResultMessage, "[Delegation Result from WriterBot | task-102]\n" + result},
			{"CoordinatorBot", parley.ReplyMessage, "The post is ready."},
		}, s.DM("rutger", "CoordinatorBot"))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 WriterBot completed\n", s.Tree(root))
		s.Equal("result", "The post is ready.", s.Result(root))
		s.Equal("turns", 2, s.Task(root).Turns)
	})
}

func TestExample3Notify(t *testing.T) {
	const news = "The Q4 competitor analysis is complete. I've saved it as 'Q4 Competitor Analysis' in the research folder."
	Play(t, Team{Agents: []string{"AnalystBot", "CoordinatorBot"}, Script: `
agents:
  AnalystBot:
    - match: Analyse
      steps:
        - call: contact_agent
          args:
            action: notify
            agentId: CoordinatorBot
            message: "The Q4 competitor analysis is complete. I've saved it as 'Q4 Competitor Analysis' in the research folder."
        - say: 'Done.'
    - match: Tell CoordinatorBot
      steps:
        - call: contact_agent
          args: {action: ask, agentId: CoordinatorBot, message: 'Have you heard?'}
        - say: '{{result}}'
  CoordinatorBot:
    - steps:
        - say: 'Yes.'
`}, func(s *Stage) {
		first := s.As("rutger").Delegate("AnalystBot", "Analyse the competitors.")
		s.Wait(first)
		s.Equal("what AnalystBot reads", []string{"Notification sent to CoordinatorBot."}, s.Results(first))
		s.Equal("the dm", []Said{
			{"AnalystBot", parley.NotificationMessage, "[Agent Notification from AnalystBot]\n\n" + news},
		}, s.DM("AnalystBot", "CoordinatorBot"))
		s.Equal("CoordinatorBot's turns", 0, len(s.Models.Shown("CoordinatorBot")))
		s.Equal("tasks", 1, len(s.tasks()))

		s.As("rutger").Ask("AnalystBot", "Tell CoordinatorBot.")
		s.Equal("what CoordinatorBot reads when next active", []string{
			"user: [Agent Notification from AnalystBot]\n\n" + news,
			"user: [Agent Request from AnalystBot | Pattern: ask]\n\nHave you heard?",
		}, s.Saw("CoordinatorBot", 1))
	})
}

const quarterlyReview = `
agents:
  CoordinatorBot:
    - match: quarterly review
      steps:
        - calls:
            - {tool: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Pull Q4 revenue, costs, and margin data', priority: high}}
            - {tool: contact_agent, args: {action: delegate, agentId: AnalystBot, message: 'Analyze Q4 trends', priority: high}}
            - {tool: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Draft the executive summary section', priority: normal}}
        - say: 'Handed out.'
    - match: '^\[Delegation Result from'
      seen: 3
      steps:
        - say: "The review:\n{{results}}"
    - match: '^\[Delegation Result from (\w+)'
      steps:
        - say: 'Noted the work of {{match 1}}.'
  DataBot:
    - steps:
        - {wait: 2m, say: 'Revenue $2.4M.'}
  WriterBot:
    - steps:
        - {wait: 5m, say: 'A good quarter.'}
  AnalystBot:
    - steps:
        - {wait: 9m, say: 'Trend: up.'}
`

func TestExample5ThreeDelegationsWithCallbacks(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "AnalystBot", "WriterBot"}, Script: quarterlyReview}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Prepare the quarterly review.")
		s.Pass(time.Second)
		s.Equal("at 10:35", "task-101 CoordinatorBot waiting\n"+
			"  task-102 DataBot running\n  task-103 AnalystBot running\n  task-104 WriterBot running\n", s.Tree(root))
		s.Equal("read", []string{
			"Delegated to DataBot (subtask task-102). You'll receive the result automatically when DataBot finishes.",
			"Delegated to AnalystBot (subtask task-103). You'll receive the result automatically when AnalystBot finishes.",
			"Delegated to WriterBot (subtask task-104). You'll receive the result automatically when WriterBot finishes.",
		}, s.Results(root))
		for _, c := range []struct {
			after   time.Duration
			said    string
			waiting int
		}{
			{2 * time.Minute, "Noted the work of DataBot.", 2},
			{3 * time.Minute, "Noted the work of WriterBot.", 1},
		} {
			s.Pass(c.after)
			s.Equal("said last", c.said, s.Result(root))
			s.Equal("status", parley.StatusAwaitingDelegation, s.Status("CoordinatorBot"))
			s.Equal("open", c.waiting, s.Task(root).OpenChildren)
		}
		s.Pass(4 * time.Minute)
		s.Equal("at 10:44", "task-101 CoordinatorBot completed\n"+
			"  task-102 DataBot completed\n  task-103 AnalystBot completed\n  task-104 WriterBot completed\n", s.Tree(root))
		s.Equal("status", parley.StatusIdle, s.Status("CoordinatorBot"))
		s.Equal("result", "The review:\nDataBot: Revenue $2.4M.\nWriterBot: A good quarter.\nAnalystBot: Trend: up.", s.Result(root))
		var came []string
		for _, m := range s.Saw("CoordinatorBot", -1) {
			if strings.HasPrefix(m, "user: [Delegation") {
				came = append(came, m)
			}
		}
		s.Equal("results in the order of their coming, each once", []string{
			"user: [Delegation Result from DataBot | task-102]\nRevenue $2.4M.",
			"user: [Delegation Result from WriterBot | task-104]\nA good quarter.",
			"user: [Delegation Result from AnalystBot | task-103]\nTrend: up.",
		}, came)
	})
}

func TestExample6TimeoutThenDelegate(t *testing.T) {
	Play(t, Team{Agents: []string{"ResearchBot", "DataBot"}, Script: `
agents:
  ResearchBot:
    - match: MRR
      steps:
        - call: contact_agent
          args: {action: ask, agentId: DataBot, message: "What's our MRR trend for the last 6 months?"}
        - when: 'did not respond'
          call: contact_agent
          args: {action: delegate, agentId: DataBot, priority: high, message: "What's our MRR trend for the last 6 months? Please include month-by-month figures."}
        - say: 'DataBot will tell us.'
    - match: '^\[Delegation Result from DataBot'
      seen: 2
      steps:
        - say: "{{results}}"
    - match: '^\[Delegation Result from DataBot'
      steps:
        - say: 'One of two.'
  DataBot:
    - match: month-by-month
      steps:
        - {wait: 10m, say: 'Month by month: up.'}
    - steps:
        - {wait: 3m, say: 'Up.'}
`}, func(s *Stage) {
		began := time.Now()
		root := s.As("rutger").Delegate("ResearchBot", "Find the MRR trend.")
		s.Pass(120 * time.Second)
		s.Equal("read", []string{
			"Error: DataBot did not respond within 120 seconds. Consider using 'delegate' for async processing. " +
				"Its work goes on as task-102; await_task waits for the answer.",
			"Delegated to DataBot (subtask task-103). You'll receive the result automatically when DataBot finishes.",
		}, s.Results(root))
		s.Wait(root)
		s.Equal("took", 12*time.Minute, time.Since(began))
		s.Equal("result: the late answer is not thrown away", "DataBot: Up.\nDataBot: Month by month: up.", s.Result(root))
		s.Equal("record", []string{"ask.timed_out by ResearchBot to DataBot task-102"}, s.Events(parley.EventTimeout))
	})
}

func TestExample8NestedAsk(t *testing.T) {
	const (
		assess = "[Agent Request from CoordinatorBot | Pattern: ask]\n\nWhat's our market position relative to competitors?"
		data   = "[Agent Request from AnalystBot | Pattern: ask]\n\n" +
			"Context: CoordinatorBot asked me for a market position assessment. I need revenue comparisons to complete the analysis.\n\n" +
			"What's our revenue compared to the top 3 competitors for the latest quarter?"
	)
	Play(t, Team{Agents: []string{"CoordinatorBot", "AnalystBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - steps:
        - call: contact_agent
          args: {action: ask, agentId: AnalystBot, message: "What's our market position relative to competitors?"}
        - say: '{{result}}'
  AnalystBot:
    - steps:
        - call: contact_agent
          args:
            action: ask
            agentId: DataBot
            context: 'CoordinatorBot asked me for a market position assessment. I need revenue comparisons to complete the analysis.'
            message: "What's our revenue compared to the top 3 competitors for the latest quarter?"
        - say: "We're #2 in market share at 28%."
  DataBot:
    - steps:
        - say: 'Our revenue: $2.4M. Acme: $3.1M.'
`}, func(s *Stage) {
		s.Equal("answer", "Response from AnalystBot: We're #2 in market share at 28%.",
			s.As("rutger").Ask("CoordinatorBot", "Where do we stand? This stays between us."))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 AnalystBot completed\n    task-103 DataBot completed\n", s.Tree(101))
		s.Equal("AnalystBot got", []string{"Response from DataBot: Our revenue: $2.4M. Acme: $3.1M."}, s.Results(102))
		s.Equal("CoordinatorBot and AnalystBot", []Said{
			{"CoordinatorBot", parley.AskMessage, assess},
			{"AnalystBot", parley.ReplyMessage, "We're #2 in market share at 28%."},
		}, s.DM("CoordinatorBot", "AnalystBot"))
		s.Equal("AnalystBot and DataBot", []Said{
			{"AnalystBot", parley.AskMessage, data},
			{"DataBot", parley.ReplyMessage, "Our revenue: $2.4M. Acme: $3.1M."},
		}, s.DM("AnalystBot", "DataBot"))
		s.Equal("depths", []int{0, 1, 2}, []int{s.Task(101).AskDepth, s.Task(102).AskDepth, s.Task(103).AskDepth})
	})
}

func TestExample9HistoryOverTime(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Feb 5'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'What was Q3 revenue?'}}
        - say: ''
    - match: 'Feb 7'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Please compile a dataset of monthly revenue figures for all of 2025.'}}
        - say: ''
    - match: 'Feb 8'
      steps:
        - call: contact_agent
          args:
            action: ask
            agentId: DataBot
            context: "I'm preparing the monthly investor update for the CEO."
            message: 'What was Q4 2025 revenue and how does it break down by product line?'
        - say: ''
    - match: '^\[Delegation Result'
      steps: [{say: ''}]
  DataBot:
    - match: Q3
      steps: [{say: 'Q3 2025 revenue was $2.1M.'}]
    - match: dataset
      steps: [{say: 'Done. Monthly figures: Jan: $1.6M.'}]
    - match: Q4
      steps: [{say: 'Q4 2025 Total Revenue: $2.4M (up 18% YoY)...'}]
`}, func(s *Stage) {
		for _, day := range []string{"Feb 5", "Feb 7", "Feb 8"} {
			s.Wait(s.As("rutger").Delegate("CoordinatorBot", day))
			s.Pass(24 * time.Hour)
		}
		s.Equal("what DataBot sees on Feb 8", []string{
			"user: [Agent Request from CoordinatorBot | Pattern: ask]\n\nWhat was Q3 revenue?",
			"assistant: Q3 2025 revenue was $2.1M.",
			"user: [Agent Request from CoordinatorBot | Pattern: delegate | Priority: normal | Task: task-104]\n\n" +
				"Please compile a dataset of monthly revenue figures for all of 2025.",
			"assistant: Done. Monthly figures: Jan: $1.6M.",
			"user: [Agent Request from CoordinatorBot | Pattern: ask]\n\n" +
				"Context: I'm preparing the monthly investor update for the CEO.\n\n" +
				"What was Q4 2025 revenue and how does it break down by product line?",
		}, s.Saw("DataBot", -1))
	})
}

package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
)

// plan is how much is measured.
type plan struct {
	// sizes are the numbers of stored messages, growing. The targets are about
	// the last; the first is what the others are compared with.
	sizes []int
	// rounds is how often everything takes its turn; a result is the median.
	rounds int
	// slice is one turn with many callers. With a single caller, and on a small
	// database that must stay small, it is shorter.
	slice time.Duration
	// warm comes before each slice and is not counted.
	warm time.Duration
	// use is how long at most each kind of contact is made before the first round,
	// so that the hub is one that has been in use: until most conversations have
	// gone on since it started.
	use time.Duration
	// many is how many callers "many" are.
	many int

	natives, clients, pairs int // of the team that is measured

	// What the rules cost is measured with so many of them.
	ruledAgents, rules, ruledMessages, ruledRounds int

	idle    int           // agents whose memory is measured
	filed   int           // agents in files
	edits   int           // how often one of these is changed
	waiting int           // turns whose memory is measured
	asks    int           // after which memory is measured; 0 leaves it out
	open    int           // tasks at the moment of the kill
	polls   int           // clients that wait for messages
	streams int           // event streams
	freeze  time.Duration // how long one of several hubs is frozen
	kills   int
}

func fullPlan() plan {
	return plan{
		sizes: []int{1_000, 100_000, 1_000_000}, rounds: 7, slice: time.Second, warm: 200 * time.Millisecond, use: 20 * time.Second, many: 64,
		natives: 1_000, clients: 64, pairs: 10_000,
		ruledAgents: 10_000, rules: 1_000, ruledMessages: 100_000, ruledRounds: 10,
		idle: 100_000, filed: 100_000, edits: 100, waiting: 1_000, asks: 500_000, open: 10_000, polls: 1_000, streams: 1_000, kills: 5, freeze: 34 * time.Second,
	}
}

func quickPlan() plan {
	p := fullPlan()
	p.sizes = []int{1_000, 30_000}
	p.ruledMessages, p.ruledRounds = 10_000, 3
	p.asks, p.freeze = 0, 3*time.Second
	p.filed, p.edits = 10_000, 30
	p.rounds, p.slice, p.warm, p.use, p.kills = 3, 200*time.Millisecond, 50*time.Millisecond, 500*time.Millisecond, 1
	return p
}

// small is the size up to which a database is made anew for every slice: a
// second of measuring would make it another one.
const small = 1_000

// sliceTime is how long one turn takes.
func (p plan) sliceTime(callers, size int) time.Duration {
	if callers == 1 || size <= small {
		return p.slice / 2
	}
	return p.slice
}

// warmTime is how long what comes before the turn takes.
func (p plan) warmTime(size int) time.Duration {
	if size <= small {
		return p.warm / 10
	}
	return p.warm
}

func (p plan) largest() int { return p.sizes[len(p.sizes)-1] }

// callers are the two numbers of callers that everything is measured with.
func (p plan) callers() []int { return []int{p.many, 1} }

// The things that are measured at a rate.
const (
	rawInserts = "raw"
	notify     = "notify"
	ask        = "ask"
	delegate   = "delegate"
)

var contacts = []string{notify, ask, delegate}

// lineName names what is measured: at the largest size sqlite.ask.64, at the
// others sqlite.ask.64.1000.
func (p plan) lineName(engine, what string, callers, size int) string {
	name := fmt.Sprintf("%s.%s.%d", engine, what, callers)
	if what != rawInserts && size != p.largest() {
		name += "." + strconv.Itoa(size)
	}
	return name
}

// frozenName is a line of the engine that several hubs can share.
func frozenName(engine string) string { return engine + ".frozen" }

func restartName(engine string) string { return engine + ".restart" }

const (
	memoryName  = "memory.agent"
	waitingName = "memory.waiting"
	limitedName = "memory.limited"
	asksName    = "memory.asks"
)

func turnName(engine string) string { return engine + ".turn" }

// watchedName is the same turns while people look on.
func watchedName(engine string) string { return engine + ".turn.watched" }

// turnSteps is how many tools an agent calls in a turn before it answers.
const turnSteps = 5

const retrievalName = "retrieval"

// retrievalClasses are how the queries of the labelled set are put: in the words of
// the message, in other forms of them, in other words.
var retrievalClasses = []string{"exact", "forms", "reworded"}

func retrievalNames() []string {
	names := []string{retrievalName}
	for _, class := range retrievalClasses {
		names = append(names, retrievalName+"."+class)
	}
	return names
}

// engineNames are the lines of one engine, in their order.
func (p plan) engineNames(engine string) []string {
	var names []string
	for _, callers := range p.callers() {
		names = append(names, p.lineName(engine, rawInserts, callers, 0))
		for _, what := range contacts {
			for _, size := range p.sizes {
				names = append(names, p.lineName(engine, what, callers, size))
			}
		}
	}
	for _, what := range ruledContacts {
		names = append(names, ruledName(engine, what))
	}
	names = append(names, largeName(engine))
	names = append(names, searchNames(engine)...)
	if Full {
		names = append(names, turnName(engine), watchedName(engine))
	}
	names = append(names, restartName(engine))
	if engine == enginePostgres {
		names = append(names, frozenName(engine))
	}
	return names
}

// names are the lines that this program measures, in their order.
func (p plan) names(engines []string) []string {
	var names []string
	for _, e := range engines {
		names = append(names, p.engineNames(e)...)
	}
	names = append(names, memoryName)
	if p.asks > 0 {
		names = append(names, asksName)
	}
	names = append(names, teamNames...)
	names = append(append(names, doorHTTP, doorMCP), nestedNames()...)
	names = append(names, pollName(p, pollHTTP), pollName(p, pollMCP), streamsName(p))
	if Full {
		names = append(append(names, waitingName, limitedName), retrievalNames()...)
	}
	return names
}

// leftOut are the lines that only the full program measures, if this is not it.
func leftOut(engines []string) (names []string) {
	if Full {
		return nil
	}
	for _, e := range engines {
		names = append(names, turnName(e), watchedName(e))
	}
	return append(append(names, waitingName, limitedName), retrievalNames()...)
}

func nameExamples(p plan, engines []string) string {
	return strings.Join(slices.Concat(p.names(engines)[:2], []string{restartName(engines[0]), memoryName}), ", ")
}

// chooseEngines reads the option Store.
func chooseEngines(s string) ([]string, error) {
	switch s {
	case "", "all":
		return []string{engineSQLite, enginePostgres}, nil
	case engineSQLite, enginePostgres:
		return []string{s}, nil
	}
	return nil, parley.Errorf(parley.Invalid, "Unknown store %q.", s).WithHint("Use 'sqlite', 'postgres' or 'all'.")
}

package join

import (
	"encoding/json"
	"os"
)

// Memory is what the hooks of an agent remember from one run to the next. It holds
// no secret.
type Memory struct {
	// Messages are what the last run handed over in full. The next one of the same session
	// acknowledges them.
	Messages []string `json:"messages,omitempty"`
	// Session is the one of the last run. Continued is how often in a row its turn was
	// kept from ending.
	Session   string `json:"session,omitempty"`
	Continued int    `json:"continued,omitempty"`
}

// MostContinued is how often in a row a turn is kept from ending. Whatever comes
// then waits for the next turn, so that two agents that answer each other do not
// keep their users waiting for ever.
const MostContinued = 5

// ReadMemory reads what is remembered: nothing, if the file cannot be read. Then
// messages come again, marked as handed out before.
func ReadMemory(path string) (m Memory) {
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Memory{}
	}
	return m
}

// Write stores it for the next run.
func (m Memory) Write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replaceFile(path, append(text, '\n'), 0o600, 0o700)
}

// Seen are the messages that a run shows to have arrived: what the run before handed over
// in the same session. Another session knows nothing of it: the one that was handed it may
// have been closed before it read it.
func (m Memory) Seen(in HookInput) []string {
	if m.Session != in.Session {
		return nil
	}
	return m.Messages
}

// Enough reports whether a turn has been kept from ending too often in a row.
func (m Memory) Enough(event string, in HookInput) bool {
	return event == Stop && in.Continued && m.Session == in.Session && m.Continued >= MostContinued
}

// After is what to remember once messages were handed over.
func (m Memory) After(event string, in HookInput, letters []Letter) Memory {
	next := Memory{Session: in.Session}
	for _, l := range letters {
		if l.Whole() {
			next.Messages = append(next.Messages, l.ID)
		}
	}
	if event == Stop && len(letters) > 0 {
		next.Continued = 1
		if in.Continued && m.Session == in.Session {
			next.Continued += m.Continued
		}
	}
	return next
}

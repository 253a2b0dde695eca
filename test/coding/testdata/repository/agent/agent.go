// Package agent asks a model.
package agent

import "strings"

// Model answers a prompt.
type Model interface {
	Call(prompt string) (string, error)
}

// Agent asks a model.
type Agent struct {
	model Model
}

// New makes an agent of a model.
func New(m Model) *Agent { return &Agent{model: m} }

// Run asks the model once.
func (a *Agent) Run(prompt string) (string, error) {
	reply, err := a.model.Call(prompt)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(reply), nil
}

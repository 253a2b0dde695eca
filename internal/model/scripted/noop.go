package scripted

import (
	"context"

	"parley/internal/model"
)

// Noop returns a model that says "ok" to everything and takes no time, so
// that a measurement sees the hub alone.
func Noop() model.Model { return noop{} }

type noop struct{}

func (noop) Step(_ context.Context, _ model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if onDelta != nil {
		onDelta(model.Delta{Text: "ok"})
	}
	return model.Reply{Text: "ok", Usage: model.Usage{Input: 1, Output: 1}}, nil
}

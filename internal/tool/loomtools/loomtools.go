// Package loomtools is the toolset "loom": what the team knows, and working on one
// thing together.
package loomtools

import (
	"parley/internal/keeper"
	"parley/internal/tool"
)

// New makes the toolset.
func New(keepers *keeper.Service) []tool.Tool {
	return []tool.Tool{
		contextOffload(keepers),
		contextRetrieve(keepers),
	}
}

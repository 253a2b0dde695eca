package peertools_test

import (
	"testing"

	"parley/internal/tool/peertools"
	"parley/internal/tool/tooltest"
)

func TestEveryToolIsDescribed(t *testing.T) {
	tooltest.Described(t, peertools.New(nil, nil), "call_agent")
}

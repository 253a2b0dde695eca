package mcpserver

import (
	"context"
	"testing"

	"parley"
	"parley/internal/token"
	"parley/internal/tool"
)

// Whoever waits when its token is revoked reads that, and not of a fault of the hub.
func TestAWaitThatIsEndedSaysWhy(t *testing.T) {
	d := New(Config{})
	gone, end := context.WithCancelCause(t.Context())
	ctx, done := d.whileWanted(t.Context(), &visit{gone: gone}, tool.Tool{Hints: tool.Hints{ReadOnly: true}})
	defer done()
	end(token.ErrRevoked())
	<-ctx.Done()
	if text, _ := d.failure(ctx, ctx.Err()); text != parley.ToolError(token.ErrRevoked()) {
		t.Error(text)
	}
}

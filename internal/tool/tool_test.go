package tool_test

import (
	"testing"

	"parley/internal/model"
	"parley/internal/tool"
)

func TestAMadeUpToolIsAnsweredWithTheOnesThereAre(t *testing.T) {
	tools := []tool.Tool{{Tool: model.Tool{Name: "look"}}, {Tool: model.Tool{Name: "post"}}}
	if _, ok := tool.Find(tools, "post"); !ok {
		t.Error("post is not found")
	}
	if _, ok := tool.Find(tools, "Post"); ok {
		t.Error("Post is found")
	}
	if got := tool.ErrUnknown(tools, "fly").Error(); got != `There is no tool "fly". There are look, post.` {
		t.Error(got)
	}
}

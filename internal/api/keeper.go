package api

import "time"

// Keeper is a chunk of a conversation that was put away.
type Keeper struct {
	ID        string        `json:"id" doc:"Such as keeper-7."`
	Topic     string        `json:"topic" doc:"What it is about."`
	Owner     string        `json:"owner" doc:"Who put it away."`
	Place     string        `json:"place,omitempty" doc:"Where it was said, which is who may read it; left out if its owner alone may."`
	Task      string        `json:"task_id,omitempty" doc:"The task that was worked on."`
	Messages  int           `json:"messages" doc:"How many it holds."`
	Size      int           `json:"size" doc:"How many characters they have together."`
	Shared    bool          `json:"shared" doc:"The whole team may read it."`
	Automatic bool          `json:"automatic" doc:"The hub made it, because a conversation no longer fitted."`
	Created   time.Time     `json:"created" doc:"When it was put away."`
	Used      *time.Time    `json:"used,omitempty" doc:"When something was last found in it."`
	Uses      int           `json:"uses" doc:"How often something was found in it."`
	Kept      []KeptMessage `json:"kept,omitempty" doc:"What you may read of it, the oldest first; only where one keeper is read."`
}

// KeptMessage is one message of a keeper.
type KeptMessage struct {
	Name    string    `json:"name" doc:"How answers refer to it, such as keeper-7/3."`
	Role    string    `json:"role" doc:"user, assistant or tool, as its owner's model knows it."`
	Author  string    `json:"author,omitempty" doc:"Who wrote it, if that is known."`
	Content string    `json:"content" doc:"The text."`
	Message string    `json:"message_id,omitempty" doc:"The message that it is a copy of."`
	At      time.Time `json:"at" doc:"When it was said."`
}

// KeeperList is the keepers that you may know of.
type KeeperList struct {
	Keepers []Keeper `json:"keepers" nullable:"false" doc:"The newest first."`
}

// OffloadRequest puts messages away.
type OffloadRequest struct {
	Topic        string           `json:"topic" maxLength:"200" doc:"What they are about, in a few words."`
	Messages     []OffloadMessage `json:"messages" nullable:"false" maxItems:"10000" doc:"Your conversation, the oldest first."`
	MessageCount int              `json:"message_count,omitempty" minimum:"1" doc:"How many of the oldest; about a third, up to the end of a topic, if left out."`
	Share        string           `json:"share,omitempty" enum:"team" doc:"team lets everyone find it; left out, you alone."`
	TaskID       string           `json:"task_id,omitempty" doc:"The task you work on, if you hold one."`
	Key          string           `json:"key,omitempty" maxLength:"200" doc:"Makes it idempotent: the same key finds what was put away before."`
}

// OffloadMessage is one message of a conversation.
type OffloadMessage struct {
	Role    string `json:"role" enum:"user,assistant,tool" doc:"Who said it."`
	Content string `json:"content" doc:"The text."`
}

// Offloaded is what came of it.
type Offloaded struct {
	Keeper *Keeper `json:"keeper,omitempty" doc:"Where it is; left out if there was too little to put away."`
	Text   string  `json:"text" doc:"The same as a sentence."`
}

// RetrieveRequest looks for something in keepers.
type RetrieveRequest struct {
	Query  string `json:"query" maxLength:"4000" doc:"Words, or a question."`
	Keeper string `json:"keeper_id,omitempty" doc:"One keeper; all that you may read if left out."`
}

// Retrieved is what was found.
type Retrieved struct {
	Text string `json:"text" doc:"The best matching messages, each as [role]: content; or that there are none."`
}

// PruneRequest removes keepers that are not used.
type PruneRequest struct {
	Seconds int64 `json:"unused_seconds" minimum:"1" doc:"For how long nothing was found in them."`
	DryRun  bool  `json:"dry_run,omitempty" doc:"Only say which."`
}

package api

import "time"

// Keeper is part of a conversation that was put away.
type Keeper struct {
	ID        string        `json:"id" doc:"Such as keeper-7."`
	Topic     string        `json:"topic" doc:"What it is about."`
	Owner     string        `json:"owner" doc:"Who put it away."`
	Place     string        `json:"place,omitempty" doc:"Where it was said. Those who can read there may read it; missing if only its owner may."`
	Task      string        `json:"task_id,omitempty" doc:"The task that its owner was working on."`
	Messages  int           `json:"messages" doc:"How many it holds."`
	Size      int           `json:"size" doc:"Their total length in characters."`
	Shared    bool          `json:"shared" doc:"The whole team may read it."`
	Automatic bool          `json:"automatic" doc:"The hub made it because the conversation had grown too long for the model."`
	Created   time.Time     `json:"created" doc:"When it was put away."`
	Used      *time.Time    `json:"used,omitempty" doc:"When something was last found in it."`
	Uses      int           `json:"uses" doc:"How often something was found in it."`
	Kept      []KeptMessage `json:"kept,omitempty" doc:"The messages that you may read, oldest first. Only where you read one keeper."`
}

// KeptMessage is one message of a keeper.
type KeptMessage struct {
	Name    string    `json:"name" doc:"How other texts refer to it, such as keeper-7/3."`
	Role    string    `json:"role" doc:"Its role in the owner's conversation: user, assistant or tool."`
	Author  string    `json:"author,omitempty" doc:"Who wrote it, if that is known."`
	Content string    `json:"content" doc:"The text."`
	Message string    `json:"message_id,omitempty" doc:"The message that it is a copy of."`
	At      time.Time `json:"at" doc:"When it was said."`
}

// KeeperList holds the keepers that you may see.
type KeeperList struct {
	Keepers []Keeper `json:"keepers" nullable:"false" doc:"Newest first."`
}

// OffloadRequest puts messages away.
type OffloadRequest struct {
	Topic        string           `json:"topic" maxLength:"200" doc:"What they are about, in a few words."`
	Messages     []OffloadMessage `json:"messages" nullable:"false" maxItems:"10000" doc:"Your conversation, oldest first."`
	MessageCount int              `json:"message_count,omitempty" minimum:"1" doc:"How many of the oldest to put away. If left out, about a third, up to the end of a topic."`
	Share        string           `json:"share,omitempty" enum:"team" doc:"team lets everyone find them; if left out, only you can."`
	TaskID       string           `json:"task_id,omitempty" doc:"The task you work on, if you hold one."`
	Key          string           `json:"key,omitempty" maxLength:"200" doc:"Makes the request idempotent: the same key finds what was put away before."`
}

// OffloadMessage is one message of a conversation.
type OffloadMessage struct {
	Role    string `json:"role" enum:"user,assistant,tool" doc:"Who said it."`
	Content string `json:"content" doc:"The text."`
}

// Offloaded is the result of an OffloadRequest.
type Offloaded struct {
	Keeper *Keeper `json:"keeper,omitempty" doc:"The new keeper; missing if there was too little to put away."`
	Text   string  `json:"text" doc:"The same in a sentence."`
}

// RetrieveRequest searches keepers.
type RetrieveRequest struct {
	Query  string `json:"query" maxLength:"4000" doc:"Words, or a question."`
	Keeper string `json:"keeper_id,omitempty" doc:"One keeper. If left out, all that you may read."`
}

// Retrieved is the result of a RetrieveRequest.
type Retrieved struct {
	Text string `json:"text" doc:"The best matching messages, each as [role]: content; or a sentence that there are none."`
}

// PruneRequest removes unused keepers.
type PruneRequest struct {
	Seconds int64 `json:"unused_seconds" minimum:"1" maximum:"3153600000" doc:"Remove those in which nothing was found for so long."`
	DryRun  bool  `json:"dry_run,omitempty" doc:"Only list them."`
}

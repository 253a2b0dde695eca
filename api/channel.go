package api

// Channel is a group channel.
type Channel struct {
	Name     string   `json:"name" doc:"Unique in the team, ignoring case; shown as #name."`
	Topic    string   `json:"topic,omitempty" doc:"What it is about."`
	Members  []string `json:"members" nullable:"false" doc:"By name."`
	Messages int      `json:"messages" doc:"How many there are."`
	Member   bool     `json:"member" doc:"You are a member."`
	Unread   int      `json:"unread" doc:"Messages that you have not read; 0 if you are not a member."`
	Thread   string   `json:"thread" doc:"The thread that holds its messages."`
	Last     *Message `json:"last,omitempty" doc:"The latest message."`
}

// ChannelList holds the channels that you can read.
type ChannelList struct {
	Channels []Channel `json:"channels" nullable:"false" doc:"By name."`
}

// ChannelRequest makes a channel.
type ChannelRequest struct {
	Name    string   `json:"name" maxLength:"65" doc:"1 to 64 letters, digits and -_. characters."`
	Topic   string   `json:"topic,omitempty" maxLength:"500" doc:"What it is about."`
	Members []string `json:"members,omitempty" nullable:"false" maxItems:"10000" doc:"Names, or * for everyone. You always become a member."`
}

// ReadRequest says how far a channel was displayed.
type ReadRequest struct {
	Upto int `json:"upto" minimum:"0" doc:"The number of the last message that was displayed."`
}

// PostRequest is a message to a channel.
type PostRequest struct {
	Channel string   `json:"channel,omitempty" maxLength:"65" doc:"A group channel."`
	Between []string `json:"between,omitempty" nullable:"false" maxItems:"2" doc:"Instead of a channel, the two agents in whose dm a person writes."`
	Message string   `json:"message" doc:"The text. @Name starts a turn of that member."`
	Attach  bool     `json:"attach,omitempty" doc:"Store a message that is longer than a message may be as an attachment, up to 4 MiB, instead of refusing it. Only a person may say so."`
	TaskID  string   `json:"task_id,omitempty" doc:"The task you work on, if you hold one."`
	Key     string   `json:"key,omitempty" maxLength:"200" doc:"Makes the post idempotent: the same key finds what was made before."`
}

// Posted is an accepted post.
type Posted struct {
	Place   string   `json:"place" doc:"Where it was posted, such as #standup."`
	Message string   `json:"message_id" doc:"The stored message."`
	Tasks   []Task   `json:"tasks" nullable:"false" doc:"One for each mentioned member that can be reached."`
	Away    []string `json:"away,omitempty" doc:"Mentioned members that are offline. Nothing was started for them."`
	Text    string   `json:"text" doc:"The same in a sentence."`
}

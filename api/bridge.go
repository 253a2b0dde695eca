package api

import "time"

// Bridge is a chat program that the team is in.
type Bridge struct {
	Program   string   `json:"program" doc:"Such as telegram."`
	Channels  []string `json:"channels,omitempty" doc:"The group channels that are connected to chats there."`
	Connected bool     `json:"connected,omitempty" doc:"A hub has the connection, and it works."`
	Problem   string   `json:"problem,omitempty" doc:"Why it does not work; left out if it does."`
	Pending   int      `json:"pending,omitempty" doc:"How many posts are still to be made."`
	Repeats   int      `json:"repeats,omitempty" doc:"How many posts may be there twice, and say so."`
	GivenUp   int      `json:"given_up,omitempty" doc:"How many posts were given up."`
}

// ChatCode links an account of a chat program to a person.
type ChatCode struct {
	Code    string    `json:"code" doc:"The person sends it to the bot once. It is shown only here."`
	For     string    `json:"for" doc:"Whose account it will be."`
	Expires time.Time `json:"expires" doc:"Until when it can be used."`
}

// ChatAccount is an account of a chat program that belongs to a person.
type ChatAccount struct {
	For     string    `json:"for" doc:"Whose account it is."`
	Program string    `json:"program" doc:"Such as telegram."`
	Account string    `json:"account" doc:"The program's id of the account."`
	Name    string    `json:"name,omitempty" doc:"What the account calls itself there."`
	Linked  time.Time `json:"linked" doc:"Since when."`
}

// ChatAccountList is a list of accounts.
type ChatAccountList struct {
	Accounts []ChatAccount `json:"accounts" nullable:"false" doc:"By person and program."`
}

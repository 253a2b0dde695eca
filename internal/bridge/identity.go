package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
	"parley/internal/token"
)

// People says which account of a chat program is which person. It is safe for concurrent
// use.
type People struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
}

func NewPeople(s store.Store, dir *directory.Directory, control *access.Control) *People {
	return &People{store: s, dir: dir, access: control}
}

const (
	// codeTime is how long a code links, and codeKept how long one can be told that it
	// was used.
	codeTime, codeKept = 10 * time.Minute, day
	// codeLetters is how many letters a code has, of 32: 50 bits.
	codeLetters = 10
	// mostCodes is how many codes an account may try in a day.
	mostCodes = 5
)

// Code links an account once.
type Code struct {
	Code    string
	Person  string
	Expires parley.Micros
}

func newCode() string {
	text := strings.ToLower(rand.Text()[:codeLetters]) // base32
	return text[:5] + "-" + text[5:]
}

// codeIn reads a code as people type it: the whole text, or what follows /start or /link.
func codeIn(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if name, rest, ok := command(text); ok {
		if name != "start" && name != "link" {
			return "", false
		}
		text = rest
	}
	text = strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(text))
	if len(text) != codeLetters || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", false
	}
	return text[:5] + "-" + text[5:], true
}

// Link makes a code for a person of the caller's team. People make it for themselves, and
// whoever runs the hub for anyone: whoever has the code acts as that person.
//
// A request that is repeated under its key makes another code: nobody has the first.
func (s *People) Link(ctx context.Context, c access.Caller, name string) (Code, error) {
	if err := s.access.PeopleOnly(ctx, c, "link chat accounts", "link an account to "+parley.Clip(name, 64)); err != nil {
		return Code{}, err
	}
	owner, err := s.person(ctx, c, name)
	if err != nil {
		return Code{}, err
	}
	code := Code{Code: newCode(), Person: owner.Name}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		if _, _, err := c.Repeated(tx, "link code for %d", owner.ID); err != nil {
			return err
		}
		code.Expires = tx.Now.Add(codeTime)
		tx.VoidChatCodes(owner.ID)
		tx.InsertChatCode(token.Hash(code.Code), store.ChatCode{Agent: owner.ID, ExpiresAt: code.Expires}, tx.Now.Add(-codeKept))
		return nil
	})
	return code, err
}

// person finds the person whose accounts the caller may link and unlink.
func (s *People) person(ctx context.Context, c access.Caller, name string) (directory.Entry, error) {
	owner, err := s.dir.Find(c.Team, name)
	if err != nil {
		return owner, err
	}
	if owner.Kind != parley.Person {
		return owner, parley.Errorf(parley.Invalid, "%s is an agent. Chat accounts are those of people.", owner.Name).WithHint("Name a person of the team.")
	}
	runs, _ := s.dir.Person(c.Team)
	if owner.ID == c.Agent || runs.ID == c.Agent {
		return owner, nil
	}
	err = parley.Errorf(parley.Denied, "Only %s can link or unlink accounts of %s.", owner.Name, owner.Name).
		WithRule(access.RulePeopleOnly).WithHint("So can %s, who runs the hub.", runs.Name)
	return owner, s.access.RecordDenied(ctx, c, "change the chat accounts of "+owner.Name, err)
}

// Linked is an account as people see it.
type Linked struct {
	parley.ChatAccount
	Person string
}

// Accounts lists the linked accounts of the caller's team. Only people may see them.
func (s *People) Accounts(ctx context.Context, c access.Caller) (list []Linked, err error) {
	if err := s.access.PeopleOnly(ctx, c, "see chat accounts", "list the chat accounts"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = s.accounts(tx, c.Team)
		return err
	})
	return list, err
}

func (s *People) accounts(tx *store.Tx, team parley.TeamID) (list []Linked, err error) {
	all, err := tx.ChatAccounts(team)
	for _, a := range all {
		e, _ := s.dir.Entry(a.Agent)
		list = append(list, Linked{a, e.Name})
	}
	return list, err
}

// Unlink unlinks all accounts of a person, or those in one program, at once and at every
// hub. It returns them.
func (s *People) Unlink(ctx context.Context, c access.Caller, name, program string) (gone []Linked, err error) {
	if err := s.access.PeopleOnly(ctx, c, "unlink chat accounts", "unlink "+parley.Clip(name, 64)); err != nil {
		return nil, err
	}
	owner, err := s.person(ctx, c, name)
	if err != nil {
		return nil, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		gone = nil
		if _, again, err := c.Repeated(tx, "unlink %d in %q", owner.ID, program); err != nil || again {
			return err
		}
		list, err := s.accounts(tx, c.Team)
		if err != nil {
			return err
		}
		tx.VoidChatCodes(owner.ID)
		for _, a := range list {
			if a.Agent != owner.ID || program != "" && a.Program != program {
				continue
			}
			tx.RemoveChatAccount(a.ChatAccount, "the account is not linked any more")
			tx.Record(parley.Event{Team: c.Team, Kind: parley.EventChatUnlinked, Actor: c.Agent, Target: owner.ID, Detail: describe(a.ChatAccount)})
			gone = append(gone, a)
		}
		return nil
	})
	return gone, err
}

// accounts are those of the program whose people are in the team at present. Whoever has left
// it, as the files say, neither acts nor reads, whatever is linked.
func (b *Bridge) accounts(tx *store.Tx) ([]parley.ChatAccount, error) {
	list, err := tx.ChatAccounts(b.Team.ID)
	return slices.DeleteFunc(list, func(c parley.ChatAccount) bool { return c.Program != b.name || !b.Reading.IsPerson(b.as(c.Agent)) }), err
}

// account finds whose an account is; false if it is nobody's who is in the team.
func (b *Bridge) account(tx *store.Tx, id string) (parley.ChatAccount, bool, error) {
	c, team, err := tx.ChatAccount(b.name, id)
	if errors.Is(err, store.ErrNotFound) {
		return c, false, nil
	}
	return c, err == nil && team == b.Team.ID && b.Reading.IsPerson(b.as(c.Agent)), err
}

// describe is an account for the record.
func describe(a parley.ChatAccount) string {
	text := a.Program + " account " + line(a.Account, 64)
	if a.Name != "" {
		text += " (" + a.Name + ")"
	}
	return text
}

// codeWord is a code anywhere in a text.
var codeWord = regexp.MustCompile(`(?i)\b[a-z2-7]{5}-?[a-z2-7]{5}\b`)

// mostExposed bounds how many codes are looked for in a text.
const mostExposed = 20

// exposed makes codes void that others have read, since whoever has one acts as that person.
// It reports whether there were any: then nothing else is done with the text.
func (t *taking) exposed(ctx context.Context) (found bool, err error) {
	var codes []string
	if !t.Private && (t.Kind == Said || t.Kind == Edited) {
		codes = codeWord.FindAllString(t.Text, mostExposed)
		if code, ok := codeIn(t.Text); ok {
			codes = append(codes, code)
		}
	}
	codes = slices.DeleteFunc(codes, func(code string) bool {
		code, _ = codeIn(code)
		known, failed := t.isCode(ctx, code)
		err = errors.Join(err, failed)
		return !known
	})
	if err != nil || len(codes) == 0 {
		return false, err
	}
	t.tell("Others have read this code, so it is not valid any more. Make a new one and send it to me alone.")
	err = t.change(ctx, func(tx *store.Tx, _ *store.Bridge) error {
		for _, code := range codes {
			code, _ = codeIn(code)
			if c, err := tx.LockChatCode(token.Hash(code)); err != nil || c.UsedBy != "" {
				if err = ignoreGone(err); err != nil {
					return err
				}
				continue
			}
			tx.SetChatCodeUsed(token.Hash(code), "nobody: it was said to others")
		}
		return t.put(tx)
	})
	t.wakeSender()
	return true, err
}

// stranger deals with an account that belongs to nobody: it may send a code, and is told
// once a day that it is not known. Nothing else is done for it, and none of its words are
// stored.
func (t *taking) stranger(ctx context.Context) error {
	code, tried := codeIn(t.Text)
	tried = tried && t.Private && t.Kind == Said && !t.Quoted
	err := t.change(ctx, func(tx *store.Tx, _ *store.Bridge) error {
		t.posts, t.record, t.person = nil, nil, parley.ChatAccount{}
		known, err := tx.LockStranger(t.name, t.Account.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		fresh := tx.Now.Since(known.ToldAt) >= day
		if fresh {
			known = store.Stranger{ToldAt: tx.Now}
		}
		tried := tried && known.Tries < mostCodes
		if t.Kind != Said && t.Kind != Pressed {
			return nil
		}
		if !tried && !fresh {
			if _, mapped := t.channel(); mapped {
				return t.put(tx) // whoever is linked later has not said it in the channel
			}
			t.moveOn(tx) // nor anything else
			return nil
		}
		if tried {
			known.Tries++
			if linked, err := t.link(tx, token.Hash(code)); err != nil || linked {
				return err
			}
			t.tell("This code is not valid. Make a new one at the hub with: parley person link NAME")
		} else {
			t.tell("%s", greeting)
		}
		if fresh {
			t.record = []parley.Event{{Team: t.Team.ID, Kind: parley.EventChatStranger,
				Detail: describe(parley.ChatAccount{Program: t.name, Account: t.Account.ID, Name: line(t.Account.Name, 64)}) + " is not linked"}}
		}
		tx.PutStranger(t.name, t.Account.ID, known, tx.Now.Add(-2*day))
		return t.put(tx)
	})
	t.wakeSender()
	return err
}

// greeting is what somebody reads who is not known.
const greeting = "Hello! I only talk with people of this team, and I do not know your account yet. If you are one of them, " +
	"run \"parley person link NAME\" and send me the code that it prints."

// link uses a code up, for the account of the event.
func (t *taking) link(tx *store.Tx, hash string) (bool, error) {
	code, err := tx.LockChatCode(hash)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	owner, err := tx.Agent(code.Agent)
	if err != nil || code.UsedBy != "" || code.ExpiresAt <= tx.Now || !t.Reading.IsPerson(t.as(owner.ID)) {
		return false, err
	}
	if _, team, err := tx.ChatAccount(t.name, t.Account.ID); err == nil && team != t.Team.ID {
		return false, nil // an account is a person in one team
	} else if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	account := parley.ChatAccount{Program: t.name, Account: t.Account.ID, Agent: owner.ID, Name: line(t.Account.Name, 64), Conversation: t.Place.Conversation}
	tx.SetChatCodeUsed(hash, account.Program+" "+account.Account)
	tx.PutChatAccount(account)
	tx.Record(parley.Event{Team: owner.Team, Kind: parley.EventChatLinked, Actor: owner.ID, Target: owner.ID, Detail: describe(account)})
	t.person = account // the answer is for that person
	t.tell("You are %s here now.\n\n%s", owner.Name, help)
	return true, t.put(tx)
}

package provider

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/catalogue"
)

// Config is what a model is made of.
type Config struct {
	Provider Provider
	// Name is what the provider calls the model.
	Name string
	// Entry is what is known of it; the zero Entry if nothing is.
	Entry catalogue.Entry
	// Near are names that may have been meant, if the provider does not know this
	// one.
	Near []string
	// Key is the provider's, from the environment.
	Key string
	// Attempts bounds how often a step is tried; 0 is five times.
	Attempts int
	// Wait passes the time between two attempts; nil really waits.
	Wait func(ctx context.Context, d time.Duration) error
	// Client is shared by the models of one provider; nil makes one.
	Client *http.Client
	// Limiters are what the hub has learned of its models; nil if nobody else asks them.
	Limiters *Limiters
}

// Model is one model of a provider. It implements model.Model.
type Model struct {
	provider Provider
	name     string
	entry    catalogue.Entry
	near     []string
	key      secret
	format   format
	client   *http.Client
	output   int // the longest reply, in tokens; 0 leaves it to the provider
	timeout  time.Duration
	silence  time.Duration
	retry    retry
	limiter  *limiter
	schemas  sync.Map // of tools, read, by their text
}

const (
	// maxReplyTokens bounds what a model may say at once, unless the files allow
	// more: some can write a book, and a reply that runs away is paid for.
	maxReplyTokens = 32_000
	// defaultReply is for a provider that insists on a bound.
	defaultReply = 8192
)

// New makes a model. Whether it exists and the key is right is known only after
// its first step.
func New(cfg Config) (*Model, error) {
	p := cfg.Provider
	if err := p.Validate(); err != nil {
		return nil, err
	}
	key := secret(strings.TrimSpace(cfg.Key))
	client := cfg.Client
	if client == nil {
		client = NewClient(p, cfg.Key)
	}
	format, err := p.format(cfg.Name)
	if err != nil {
		return nil, parley.Errorf(parley.Invalid, "The model %s/%s cannot be used: %s.", p.Name, cfg.Name, err)
	}
	m := &Model{provider: p, name: cfg.Name, entry: cfg.Entry, near: cfg.Near, key: key, format: format, client: client,
		output: replyBound(p, cfg.Entry), timeout: cmp.Or(p.Timeout, defaultTimeout), silence: cmp.Or(p.Silence, defaultSilence),
		retry: newRetry(cfg), limiter: newLimiter()}
	if cfg.Limiters != nil {
		m.limiter = cfg.Limiters.of(p, key, cfg.Name)
	}
	return m, nil
}

func replyBound(p Provider, e catalogue.Entry) int {
	switch {
	case e.Exact:
		return e.MaxOutput
	case e.MaxOutput > 0 && e.Window > 0: // most of a window is for reading
		return min(e.MaxOutput, maxReplyTokens, max(e.Window/4, 1))
	case e.MaxOutput > 0:
		return min(e.MaxOutput, maxReplyTokens)
	case p.Kind == Anthropic:
		return defaultReply
	}
	return 0
}

// ID is the model's name in a team's files.
func (m *Model) ID() string { return m.provider.Name + "/" + m.name }

// Window implements model.Bounded.
func (m *Model) Window() (total, reply int) {
	return m.limiter.learned(m.entry.Window), m.longestReply()
}

// longestReply is how many tokens a reply may have; 0 leaves it to the provider. Most
// of a window that turned out to be small is for reading.
func (m *Model) longestReply() int {
	if learned := m.limiter.learned(0); learned > 0 && m.output > 0 {
		return min(m.output, max(learned/4, 1))
	}
	return m.output
}

// Learn implements model.Learner.
func (m *Model) Learn(window int) (first bool) { return m.limiter.learn(window) }

// Forget implements model.Learner.
func (m *Model) Forget() { m.limiter.forget() }

// Estimate implements model.Estimator.
func (m *Model) Estimate(req model.Request) model.Usage {
	u := model.Usage{Input: model.AtMost(req), Output: int64(m.longestReply())}
	u.Cost = m.entry.Price.Cost(u)
	return u
}

// Step implements model.Model.
func (m *Model) Step(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if m.key == "" && m.provider.KeyEnv != "" {
		return model.Reply{}, m.noKey()
	}
	s := show{to: onDelta, key: m.key}
	return m.retry.do(ctx, func() (model.Reply, *failure) {
		ticket, wait := m.limiter.enter()
		if wait > 0 {
			return model.Reply{}, m.busy(wait)
		}
		s.restart()
		reply, f := m.attempt(ctx, req, &s)
		switch {
		case f == nil:
			m.limiter.answered(ticket)
		case f.err.Busy:
			f.err.RetryAfter = m.limiter.refused(ticket, f.err.RetryAfter)
		default:
			m.limiter.leave(ticket)
		}
		return reply, f
	})
}

// judge decides whether a reply that came to its end can be used.
func (m *Model) judge(d *draft, req model.Request) (model.Reply, *failure) {
	intact := d.hide(m.key)
	r := d.reply()
	if text := m.key.hide(r.Text); text != r.Text { // it was in two parts
		r.Text, intact = text, false
	}
	r.Usage = m.usage(d)
	if m.cutByLimit(d, req) {
		return m.cutReply(r.Usage, req), nil
	}
	blank := strings.TrimSpace(r.Text) == ""
	switch {
	case d.end == filtered, d.refusal != "" && blank && len(r.Calls) == 0:
		return r, m.blocked().because(m.key, d.refusal)
	case d.end == cut && len(r.Calls) > 0:
		return r, stop(model.Broken, "The reply of %s was cut off in the middle of a tool call%s. Raise max_output for the model.", m.ID(), m.atBound())
	case len(r.Calls) == 0 && blank:
		if d.end == cut {
			return r, stop(model.Broken, "%s thought until its reply was cut off%s. Raise max_output for the model.", m.ID(), m.atBound())
		}
		return r, again(model.Broken, "%s answered with nothing.", m.ID())
	case d.end == cut:
		r.Text += fmt.Sprintf("\n\n[The reply was cut off%s.]", m.atBound())
	case d.end == failed:
		return r, again(model.Broken, "%s broke its reply off.", m.ID())
	}
	if intact {
		r.Private = m.keep(d.parts)
	}
	return r, nil
}

func (m *Model) atBound() string {
	if m.longestReply() == 0 {
		return ""
	}
	return fmt.Sprintf(" at %d tokens", m.longestReply())
}

// usage counts the tokens and what they cost. What OpenRouter itself says of the
// cost goes before the catalogue.
func (m *Model) usage(d *draft) model.Usage {
	u := d.usage
	u.Cost = m.entry.Price.Cost(u)
	if m.provider.Kind == OpenRouter && d.cost > 0 {
		u.Cost = int64(math.Ceil(d.cost * 1e6))
	}
	return u
}

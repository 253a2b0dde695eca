// Package watch is the full-screen view of a running team: who does what, the tree of
// tasks, what is said and done, and what waits for the person who looks, with keys to
// decide, to answer and to write to anyone.
//
// Its core is pure: Update makes the next State from an Event, and Render draws a
// State on a screen of any size. Around it, the feeder follows the hub in goroutines
// of its own and hands over what happened a few times a second, and Run connects both
// with the terminal. What agents wrote is made one clean line before it is drawn, so
// that it cannot leave its cell.
package watch

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"parley/internal/cli/view"
)

// Config is what Run needs.
type Config struct {
	Dial Dial
	In   io.Reader
	Out  io.Writer
	Zone *time.Location
	Now  func() time.Time
	// Color and ASCII say what the terminal shows.
	Color, ASCII bool
}

// Run shows the team until the person leaves or the context is done. No goroutine
// outlives it.
func Run(ctx context.Context, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	f := newFeeder(c.Dial, c.Now)
	all.Go(func() { f.run(ctx) })
	profile := colorprofile.ASCII
	if c.Color {
		profile = colorprofile.ANSI // the terminal's own colours
	}
	m := &model{feeder: f, state: New(c.Now(), c.Zone, c.Color, c.ASCII), now: c.Now}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(c.In), tea.WithOutput(c.Out), tea.WithColorProfile(profile))
	m.do = func(a Action, s view.Screen) { all.Go(func() { p.Send(f.act(ctx, a, s)) }) }
	all.Go(func() {
		for list := f.next(ctx); list != nil; list = f.next(ctx) {
			p.Send(newsMsg(list))
		}
	})
	all.Go(func() {
		for pause(ctx, time.Second) {
			p.Send(Tick{Now: c.Now()})
		}
	})
	_, err := p.Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		return context.Cause(ctx)
	}
	return err
}

// model connects the pure core with the terminal.
type model struct {
	feeder *feeder
	state  State
	w, h   int
	now    func() time.Time
	// do does something at the hub, beside the screen, and sends the outcome.
	do func(Action, view.Screen)
}

// newsMsg is what has happened since the last one.
type newsMsg []Event

func (m *model) Init() tea.Cmd { return nil }

// Update turns what bubbletea says into events of the core.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		return m, m.apply(Size{W: m.w, H: m.h})
	case newsMsg:
		for _, e := range msg {
			m.apply(e)
		}
	case tea.KeyPressMsg:
		return m, m.apply(Key{Name: msg.String(), Text: msg.Text})
	case tea.PasteMsg:
		return m, m.apply(Paste{Text: msg.Content})
	case Tick, Opened:
		return m, m.apply(msg)
	case Done:
		m.feeder.refresh()
		return m, m.apply(msg)
	}
	return m, nil
}

// apply gives an event to the core and begins what it wants done.
func (m *model) apply(e Event) tea.Cmd {
	next, action := Update(m.state, e)
	m.state = next
	switch action.(type) {
	case nil:
	case Quit:
		return tea.Quit
	case Suspend:
		return tea.Suspend
	default:
		m.do(action, m.state.screen())
	}
	return nil
}

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = "parley watch"
	if m.w <= 0 || m.h <= 0 {
		return v
	}
	f := Render(m.state, m.w, m.h)
	v.SetContent(f.Text())
	if f.X >= 0 {
		v.Cursor = tea.NewCursor(f.X, f.Y)
	}
	return v
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// crowd takes pictures of a team of 2,000 agents. Some work, some have failed, some sleep.
func (c *camera) crowd(ctx context.Context, dir string) (err error) {
	if err := writeCrowd(dir, 2000); err != nil {
		return err
	}
	h, stop, err := serve(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := busy(ctx, h); err != nil {
		return err
	}
	link, err := h.CreateLink(ctx)
	if err != nil {
		return err
	}
	if err := chromedp.Do(c.ctx, chromedp.Navigate(h.url+link.Path), chromedp.WaitVisible(chromedp.CSS("#needs-h"))); err != nil {
		return err
	}
	for _, v := range []struct{ name, path string }{{"crowd-home", "/"}, {"crowd-agents", "/agents"}, {"crowd-graph", "/graph"}, {"crowd-tasks", "/tasks"}, {"crowd-cost", "/cost"}} {
		if err := c.take(h.url+v.path, v.name); err != nil {
			return err
		}
	}
	return nil
}

// busy has some of the crowd share work among them, and waits until the quick ones are done.
// Others sleep.
func busy(ctx context.Context, h stage) error {
	awake := map[string]bool{}
	var quick []string
	for i := range 24 {
		lead, others := crowdName(i*31), make([]string, 6)
		awake[lead] = true
		for k := range others {
			others[k] = crowdName((i%20)*37 + k*113 + 500) // some help twice
			awake[others[k]] = true
		}
		r, err := h.Contact(ctx, api.ContactRequest{Action: "delegate", Agent: lead, Message: fmt.Sprintf("Sort shelf %d with %s.", i+1, strings.Join(others, ", "))})
		if err != nil {
			return err
		}
		if n := (i + 1) % 10; n != 3 && n != 7 { // which take long
			quick = append(quick, r.Task.ID)
		}
	}
	for i := range 40 {
		if name := crowdName(i*47 + 3); !awake[name] {
			if _, err := h.SetStatus(ctx, name, "sleep", time.Now().Add(8*time.Hour)); err != nil {
				return err
			}
		}
	}
	for _, id := range quick {
		if _, err := h.WaitTask(ctx, id, time.Minute); err != nil {
			return err
		}
	}
	return nil
}

func serve(dir string) (h stage, stop func() error, err error) {
	team, problems, err := config.Load(dir)
	if err != nil || len(problems) > 0 {
		return h, nil, errors.Join(err, fmt.Errorf("mistakes in %s: %v", dir, problems))
	}
	ctx, end := context.WithCancel(context.Background())
	ended, up := make(chan error, 1), make(chan app.Serving, 1)
	go func() {
		ended <- app.Serve(ctx, app.ServeConfig{Team: team, Listen: "127.0.0.1:0", Grace: 100 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Ready: func(s app.Serving) { up <- s }})
	}()
	select {
	case err := <-ended:
		end()
		return h, nil, err
	case s := <-up:
		h.url = s.URL
		h.Client, err = client.Discover(s.Data)
	}
	return h, func() error { end(); return <-ended }, err
}

func crowdName(i int) string {
	roles := []string{"reader", "sorter", "checker", "writer", "counter", "finder", "keeper", "planner"}
	return fmt.Sprintf("%s-%03d", roles[i%len(roles)], i/len(roles))
}

// crowdScript has everybody share the work with six others. Some shelves take long, and some
// fail.
const crowdScript = `agents:
  "*":
    - match: '^\[Delegation Failed'
      steps: [{fail: 'A part of the shelf could not be read.'}]
    - match: '^\[Delegation Result'
      seen: 6
      steps: [{wait: 400ms, say: 'The shelf is sorted.', usage: {input: 2210, output: 40, money: 0.0072}}]
    - match: '^\[Delegation Result'
      steps: [{say: '', usage: {input: 1904, output: 12, money: 0.0059}}]
    - match: 'Sort shelf (\d+) with (\S+), (\S+), (\S+), (\S+), (\S+), (\S+)\.'
      steps:
        - wait: 600ms
          calls:
PARTS          usage: {input: 1630, output: 296, money: 0.0093}
        - {say: '', usage: {input: 1711, output: 12, money: 0.0053}}
    - match: 'part 6 of shelf \d*5\.'
      steps: [{wait: 900ms, fail: 'The index of this shelf is damaged.'}]
    - match: 'part [3-6] of shelf \d*[37]\.'
      steps: [{wait: 20m, say: 'Read.'}]
    - steps: [{wait: 700ms, say: 'Read: nothing is missing.', usage: {input: 1480, output: 64, money: 0.0054}}]
`

func writeCrowd(dir string, n int) error {
	agents := filepath.Join(dir, "agents")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"parley.yaml": "team: crowd\nperson: Mira\nmodel: scripted:script.yaml\nlimits: {rate: 6000, daily: {money: 20}}\n",
	}
	var parts string
	for k := range 6 {
		parts += fmt.Sprintf("            - {tool: contact_agent, args: {action: delegate, agentId: '{{match %d}}', message: 'Read part %d of shelf {{match 1}}.'}}\n", k+2, k+1)
	}
	files["script.yaml"] = strings.Replace(crowdScript, "PARTS", parts, 1)
	for i := range n {
		files["agents/"+crowdName(i)+".md"] = "---\ndescription: Works on the archive, part " + fmt.Sprint(i) + ".\n---\nYou work on the archive.\n"
	}
	var all error
	for name, text := range files {
		all = errors.Join(all, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(strings.TrimLeft(text, "\n")), 0o600))
	}
	return all
}

package bench

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/app"
	"parley/internal/policy"
)

// What the rules of a house cost: a hub with many agents, once without rules and
// once with many, in turns on the same database. The directory is told of the
// other in between, as it is when files change.

// ruledContacts are those that are measured so. A delegation is decided like an
// ask.
var ruledContacts = []string{notify, ask}

func ruledName(engine, what string) string { return engine + "." + what + ".rules" }

// ruled measures the contacts with and without rules.
func (s *series) ruled(ctx context.Context) (err error) {
	var wanted []string
	for _, what := range ruledContacts {
		if s.wanted.has(ruledName(s.engine.name(), what)) {
			wanted = append(wanted, what)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	large := *s.bench
	large.plan.natives = s.plan.ruledAgents
	address, err := s.engine.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.engine.drop(ctx, address)) }()
	s.say("%s: %s agents with %s contact rules", s.engine.name(), count(s.plan.ruledAgents), count(s.plan.rules))
	hub, err := large.openSession(ctx, s.engine, address, s.plan.ruledMessages, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.abandon()) }()
	m := ruledMeasure{series: s, hub: hub, free: hub.members, bound: underRules(hub.members, s.plan.rules)}
	return m.run(ctx, wanted)
}

// ruledMeasure is the samples of both.
type ruledMeasure struct {
	*series
	hub         *session
	free, bound []app.Member
}

func (m *ruledMeasure) run(ctx context.Context, wanted []string) error {
	with, without := map[string][]sample{}, map[string][]sample{}
	for _, what := range wanted { // one after the other: a change of kind is a change of pace
		for round := range m.plan.ruledRounds + 1 {
			free, bound, err := m.round(ctx, what)
			if err != nil {
				return fmt.Errorf("%s: %w", ruledName(m.engine.name(), what), err)
			}
			if round > 0 { // the first is for getting used to it
				without[what], with[what] = append(without[what], free), append(with[what], bound)
			}
		}
	}
	for _, what := range wanted {
		l := lineOf(ruledName(m.engine.name(), what), m.plan.many, with[what])
		l.Agents, l.Messages = m.plan.ruledAgents, m.plan.ruledMessages
		l.Ratio = compare(with[what], without[what], perSecond)
		l.CPURatio = compare(with[what], without[what], cpuTime)
		if err := m.add(l); err != nil {
			return err
		}
	}
	return nil
}

// round is four turns without and four with, in an order in which whatever gets
// slower or faster meanwhile, such as a log that fills up, is in both alike.
func (m *ruledMeasure) round(ctx context.Context, what string) (free, bound sample, err error) {
	var taken [8]sample
	f, b := m.free, m.bound
	for i, members := range [][]app.Member{f, b, b, f, b, f, f, b} {
		if taken[i], err = m.slice(ctx, what, members); err != nil {
			return free, bound, err
		}
	}
	free = both(both(taken[0], taken[3]), both(taken[5], taken[6]))
	return free, both(both(taken[1], taken[2]), both(taken[4], taken[7])), nil
}

// both is the mean of two samples.
func both(a, b sample) sample {
	a.ops += b.ops
	a.perS, a.allocs = (a.perS+b.perS)/2, (a.allocs+b.allocs)/2
	a.p50, a.p99, a.cpu = (a.p50+b.p50)/2, (a.p99+b.p99)/2, (a.cpu+b.cpu)/2
	return a
}

// slice measures one kind of contact among members with these rules.
func (m *ruledMeasure) slice(ctx context.Context, what string, members []app.Member) (sample, error) {
	if _, err := m.hub.Join(ctx, app.Roster{Team: parley.MainTeam, Members: members}); err != nil {
		return sample{}, err
	}
	op, _, err := m.hub.operation(ctx, what, m.plan.many)
	if err != nil {
		return sample{}, err
	}
	if _, err := measure(ctx, m.plan.many, m.plan.warm, op); err != nil {
		return sample{}, err
	}
	// Short, and many of them: what the machine does meanwhile hits both alike.
	taken, err := m.profile.measure(ctx, ruledName(m.engine.name(), what), m.plan.many, m.plan.slice/4, op)
	if err != nil {
		return sample{}, err
	}
	return taken, m.hub.settle(ctx)
}

// underRules gives every member a manager, a profile with patterns of its own and
// the contact rules of its house, all of which are asked before a contact is
// allowed.
func underRules(members []app.Member, rules int) []app.Member {
	const houses = 10
	var contacts [houses]policy.ContactRules
	for i := range contacts {
		for n := range rules - 1 {
			contacts[i].Forbid(fmt.Sprintf("stranger %d of house %d", n, i))
		}
		contacts[i].Permit(policy.Everyone, policy.Allowance{})
	}
	profile, err := policy.NewProfile(policy.DefaultPreset, policy.Patterns{
		Deny: []string{`tool:shell:.*rm .*`, `tool:agent_comm:send stranger.*`}, Allow: []string{`tool:agent_comm:send .*`}})
	if err != nil {
		panic(err) // ours
	}
	list := make([]app.Member, len(members))
	for i, m := range members {
		m.Rules = &policy.Rules{Manager: personName, Contacts: contacts[i%houses], Profile: profile}
		list[i] = m
	}
	return list
}

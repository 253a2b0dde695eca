package budget

import (
	"math"

	"parley"
)

// Call is a model call that is about to be made. How long its reply may be is left to
// what the budget has.
type Call struct {
	Input     int64        // tokens of the request, at most
	InputCost parley.Money // what they cost
	Price     float64      // of one token of the reply, in millionths of a dollar
	// Usual is how long the reply may be where the budget has more.
	Usual int64
	// Most is the longest reply that the model gives; 0 is unknown.
	Most int64
	// Cut is the limit at which the same reply was cut off before; 0 if it was not.
	Cut int64
	// Firm says that the reply cannot be kept short: it needs all of Most.
	Firm bool
}

const (
	// leastOutput is the lowest limit that every provider takes.
	leastOutput = 16
	// roomyOutput is enough for most replies. A call that gets less only because of
	// what others have reserved waits for them: it would read everything for a reply
	// that is cut off.
	roomyOutput = 1024
	endless     = math.MaxInt64 / 4
)

// least is the shortest limit with which it makes sense to ask.
func (c Call) least() int64 {
	switch {
	case c.Firm:
		return c.Most
	case c.Cut > 0: // a little more would be cut off as well
		return c.longest(c.Cut + max(c.Cut/4, 1))
	}
	return c.longest(leastOutput)
}

// wanted is the limit if the budget has enough.
func (c Call) wanted() int64 {
	switch {
	case c.Firm:
		return c.Most
	case c.Cut > 0:
		return c.longest(endless)
	}
	return c.longest(c.Usual)
}

// promising is the limit that a person is told to make room for.
func (c Call) promising() int64 {
	if c.Cut > 0 && !c.Firm {
		return c.longest(max(2*c.Cut, c.Usual))
	}
	return c.wanted()
}

func (c Call) longest(n int64) int64 {
	if c.Most > 0 {
		return min(n, c.Most)
	}
	return n
}

// want is what the call spends at most with so long a reply.
func (c Call) want(output int64) Want {
	output = min(output, endless)
	return Want{Tokens: c.Input + output, Money: c.InputCost + parley.Money(math.Ceil(c.Price*float64(output)-1e-6))}
}

// room is how long a reply may be that a budget pays for: free with what others have
// reserved, left without. Less than 0 does not even pay for the request.
func room(limit parley.Budget, u used, c Call) (free, left int64) {
	free, left = endless, endless
	if limit.Tokens > 0 {
		left = limit.Tokens - u.spent.Tokens() - c.Input
		free = left - u.reserved.Tokens
	}
	if limit.Money > 0 && (c.Price > 0 || c.InputCost > 0) {
		money := limit.Money - u.spent.Money - c.InputCost
		left = min(left, c.affords(money))
		free = min(free, c.affords(money-u.reserved.Money))
	}
	return free, left
}

// affords is how long a reply so much money pays for.
func (c Call) affords(money parley.Money) int64 {
	switch {
	case money < 0:
		return -1
	case c.Price <= 0:
		return endless
	}
	return int64(min(math.Floor(float64(money)/c.Price+1e-9), endless))
}

// allot decides how long the reply to a call may be: 0 is as long as the model likes,
// since nothing bounds it. Only a call that fits has a limit.
func allot(tree, day parley.Budget, t, d used, c Call) (v Verdict, output int64) {
	free, left := room(tree, t, c)
	if left < c.least() || tree.Time > 0 && t.spent.Active >= tree.Time {
		return TreeSpent, 0
	}
	freeToday, leftToday := room(day, d, c)
	if leftToday < c.least() {
		return DaySpent, 0
	}
	free, left = min(free, freeToday), min(left, leftToday, c.wanted())
	if free < c.least() || free < min(left, roomyOutput) {
		return Crowded, 0
	}
	if free == endless {
		return Fits, 0
	}
	return Fits, min(free, c.wanted())
}

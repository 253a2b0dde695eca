package discord

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/bridge"
	"parley/internal/bridge/wire"
)

// What goes over the gateway.
const (
	opDispatch, opHeartbeat, opIdentify, opResume = 0, 1, 2, 6
	opReconnect, opInvalid, opHello, opAck        = 7, 9, 10, 11
)

// intents are the events that are asked for: servers and their channels, messages there
// and direct ones, and what messages say.
const intents = 1<<0 | 1<<9 | 1<<12 | 1<<15

// session is one of the gateway. It can be gone on with by another connection.
type session struct {
	id, url string
	seq     int64 // the last event that was dealt with
	dials   int   // how often nobody was there
}

// payload is what comes over the connection.
type payload struct {
	Op int
	D  json.RawMessage
	S  int64
	T  string
}

// arrival is a payload, or the end of the connection.
type arrival struct {
	payload
	reply *reply // for an interaction
	err   error
}

// socket is a connection to the gateway.
type socket struct {
	conn  net.Conn
	ws    *websocket.Conn
	began time.Time
	took  func(payload) *reply // sees what arrives at once

	mu      sync.Mutex
	queue   []arrival
	more    chan struct{}
	seq     int64 // of the last event that was dealt with
	acked   bool  // the last heartbeat was answered
	beating chan time.Duration
	why     string // the connection was given up
}

// mostQueued bounds what has arrived and was not dealt with. More of it comes again later.
const mostQueued = 10000

// dial connects to the gateway.
func (p *Program) dial(ctx context.Context, address string) (*socket, error) {
	if address == "" {
		var err error
		if address, err = p.gateway(ctx); err != nil {
			return nil, err
		}
	}
	failed := &bridge.Failure{Reason: "the connection to Discord's gateway could not be opened"}
	to, err := url.Parse(address)
	if err != nil {
		return nil, failed
	}
	to.RawQuery = url.Values{"v": {"10"}, "encoding": {"json"}}.Encode()
	if to.Path == "" {
		to.Path = "/"
	}
	conn, ws, err := wire.Dial(ctx, wire.Dialing{Address: to.String(), Origin: "https://discord.com", Plain: strings.HasPrefix(p.cfg.API, "http:"), Limit: p.cfg.Timing.Call})
	if err != nil {
		return nil, failed
	}
	return &socket{conn: conn, ws: ws, began: time.Now(), more: make(chan struct{}, 1), acked: true, beating: make(chan time.Duration, 1)}, nil
}

// gateway asks where the gateway is, and whether a new session may begin.
func (p *Program) gateway(ctx context.Context) (string, error) {
	var got struct {
		URL   string
		Limit struct {
			Remaining  int
			ResetAfter int64 `json:"reset_after"`
		} `json:"session_start_limit"`
	}
	if err := p.read(ctx, "gateway/bot", &got); err != nil {
		return "", err
	}
	if got.Limit.Remaining == 0 && got.Limit.ResetAfter > 0 {
		return "", &bridge.Failure{Reason: "Discord allows no more connections today", After: seconds(float64(got.Limit.ResetAfter) / 1000)}
	}
	return got.URL, nil
}

// frames reads what is in the frames of a connection, and the code with which it is closed.
type frames struct {
	ws      *websocket.Conn
	current io.Reader
	closed  int
}

func (f *frames) Read(b []byte) (int, error) {
	for {
		if f.current != nil {
			n, err := f.current.Read(b)
			if errors.Is(err, io.EOF) {
				f.current, err = nil, nil
			}
			if n > 0 || err != nil {
				return n, err
			}
			continue
		}
		frame, err := f.ws.NewFrameReader()
		if err != nil {
			return 0, err
		}
		if frame.PayloadType() == websocket.CloseFrame {
			code := make([]byte, 2)
			if header := frame.HeaderReader(); header != nil {
				_, _ = io.Copy(io.Discard, header)
			}
			if _, err := io.ReadFull(frame, code); err == nil {
				f.closed = int(binary.BigEndian.Uint16(code))
			}
			return 0, io.EOF
		}
		if frame, err = f.ws.HandleFrame(frame); err != nil {
			return 0, err
		}
		if frame != nil {
			f.current = frame
		}
	}
}

// receive queues what comes until the connection ends. It answers itself what cannot wait
// for the rest.
func (k *socket) receive() {
	source := &frames{ws: k.ws}
	limited := &io.LimitedReader{R: source}
	decoder := json.NewDecoder(limited)
	for {
		limited.N = wire.MostRead
		var a arrival
		if decoder.Decode(&a.payload) != nil {
			k.put(arrival{err: k.lost(source.closed)})
			return
		}
		switch a.Op {
		case opHeartbeat:
			k.beat()
			continue
		case opAck:
			k.mu.Lock()
			k.acked = true
			k.mu.Unlock()
			continue
		case opDispatch:
			a.reply = k.took(a.payload)
		}
		if !k.put(a) {
			k.close("too much has arrived")
			return
		}
	}
}

// put queues an arrival, if there is room.
func (k *socket) put(a arrival) bool {
	k.mu.Lock()
	full := len(k.queue) >= mostQueued
	if full {
		a = arrival{err: errors.New("discord sends more than can be dealt with")}
	}
	k.queue = append(k.queue, a)
	k.mu.Unlock()
	select {
	case k.more <- struct{}{}:
	default: // somebody is about to look
	}
	return !full
}

// next waits for the next arrival.
func (k *socket) next(ctx context.Context) (arrival, error) {
	for {
		k.mu.Lock()
		if len(k.queue) > 0 {
			a := k.queue[0]
			k.queue = k.queue[1:]
			k.mu.Unlock()
			return a, nil
		}
		k.mu.Unlock()
		select {
		case <-ctx.Done():
			return arrival{}, ctx.Err()
		case <-k.more:
		}
	}
}

// drop gives up what was not dealt with. It comes again.
func (k *socket) drop() {
	for _, a := range k.queue {
		a.reply.stop()
	}
}

// closure is why Discord has closed a connection.
type closure struct {
	bridge.Failure
	code int
}

func (c *closure) Unwrap() error { return &c.Failure }

// closings say what to do about the codes after which it is of no use to connect again
// soon.
var closings = map[int]string{
	4004: "Discord does not know the bot's token. Check the variable that holds it.",
	4010: "Discord wants the bot to share its connection", 4011: "the bot is in too many servers for one connection",
	4012: "Discord does not know this version of its gateway any more",
	4013: "Discord does not know the events that are asked for",
	4014: "the bot may not read messages. Turn on \"Message Content Intent\" for it at discord.com/developers, under Bot.",
}

// lost is the end of the connection as an error.
func (k *socket) lost(code int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &closure{code: code, Failure: bridge.Failure{Reason: "the connection to Discord was lost"}}
	switch {
	case k.why != "":
		c.Reason += ": " + k.why
	case closings[code] != "":
		c.Reason, c.After = closings[code], time.Minute
	case code != 0:
		c.Reason += fmt.Sprintf(" (code %d)", code)
	}
	return c
}

func (k *socket) send(op int, d any) error {
	_ = k.conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
	return websocket.JSON.Send(k.ws, object{"op": op, "d": d})
}

// beat says that the connection lives, and up to where everything was dealt with.
func (k *socket) beat() {
	k.mu.Lock()
	seq := k.seq
	k.mu.Unlock()
	var d any
	if seq > 0 {
		d = seq
	}
	_ = k.send(opHeartbeat, d) // if it does not arrive, nothing answers it
}

// keep sends a heartbeat from time to time, and gives a connection up that does not answer
// it: it may look alive for hours.
func (k *socket) keep(ctx context.Context) {
	var every time.Duration
	select {
	case <-ctx.Done():
		return
	case every = <-k.beating:
	}
	timer := time.NewTimer(time.Duration(rand.Float64() * float64(every))) // not all bots at once
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		k.mu.Lock()
		alive := k.acked
		k.acked = false
		k.mu.Unlock()
		if !alive {
			k.close("it has not answered")
			return
		}
		k.beat()
		timer.Reset(every)
	}
}

// done notes that an event was dealt with.
func (k *socket) done(seq int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seq = max(k.seq, seq)
}

// close ends the connection, and not the session.
func (k *socket) close(why string) {
	k.mu.Lock()
	if k.why == "" {
		k.why = why
	}
	k.mu.Unlock()
	_ = k.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = k.ws.WriteClose(4000)
	_ = k.conn.Close()
}

//go:build !linux

package filewatch

import "errors"

// Watcher is not available here.
type Watcher struct{}

// Open fails: this system has no such service that parley uses.
func Open(string, func(name string) bool) (*Watcher, error) { return nil, errors.ErrUnsupported }

// Next reports nothing.
func (*Watcher) Next() ([]string, error) { return nil, ErrLost }

// Close does nothing.
func (*Watcher) Close() error { return nil }

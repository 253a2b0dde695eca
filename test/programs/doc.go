// Package programs tests agent programs against a real hub: the loops of the Go package
// client and of clients/python, and the programs in examples/. They run as processes of
// their own, and are killed in the middle of a long poll and of a task.
package programs

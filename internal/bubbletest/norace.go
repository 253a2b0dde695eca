//go:build !race

package bubbletest

const racing = false

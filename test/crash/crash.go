// Package crash kills real hubs under load, and takes away their disk, their
// database and their clock, and then looks whether every promise was kept.
package crash

// program is the real binary, built once before the tests.
var program string

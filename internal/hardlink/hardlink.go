// Package hardlink finds out whether a file has more than one name. Such a file may
// also be in a private folder elsewhere, and its path does not show that.
package hardlink

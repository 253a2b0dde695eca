// Package hardlink tells whether a file has further names. Such a file may lie
// elsewhere as well, in a folder that is nobody else's business, and no look at its
// path shows that.
package hardlink

// Package search finds what was said.
//
// The index is a table of words, the same on both databases. For each word of a team
// it has the documents that contain it, two bytes per document, in rows of 2,048 ids.
// Besides the words of its text a document has marks, which are words that no text
// can produce: who wrote it, and who may read it. So what a caller may not read is
// left out before anything is ranked.
//
// The projector (projector.go) adds new documents later, up to a mark, so that the
// index costs writers nothing. A search reads the documents after the mark directly.
package search

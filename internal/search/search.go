// Package search finds what was said.
//
// The index is a table of words, the same on both databases: for each word of a
// team the documents that have it, as two bytes a document, in rows of 2,048 ids.
// Besides the words of its text a document has marks, words that no text can
// produce: who wrote it, and who may read it. So what a caller may not read is left
// out before anything is ranked.
//
// The index follows the record behind a mark (projector.go) and costs whoever writes
// nothing. What it has not come to yet is searched by reading it.
package search

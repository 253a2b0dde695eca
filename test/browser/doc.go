// Package browser uses the page as people do: in a real browser, against a real hub. All
// tests share one Chromium; each person has a profile of its own in it, and each test a
// hub of its own.
package browser

// Package coding runs the team of the template coding, as parley init writes it,
// on a small repository: a real hub process, real files, a real compiler in the
// sandbox, and models that are asked over the wire of a real provider. Only the
// mind behind the wire follows a script (testdata/script.yaml).
package coding

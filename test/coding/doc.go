// Package coding runs the team of the template coding, as parley init writes it, on a
// small repository: a real hub process, real files, a real compiler in the sandbox,
// and models that are asked in the wire format of a real provider. Only what the
// models say follows a script (testdata/script.yaml).
package coding

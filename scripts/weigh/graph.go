package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
)

// goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
	ImportMap  map[string]string
	Module     *struct {
		Path string
		Main bool
	}
}

// graph is the packages of a program and what they import.
type graph struct {
	root     string
	packages map[string]goPackage
}

func readGraph(program string) (*graph, error) {
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,ImportMap,Module", program).Output()
	if err != nil {
		return nil, err
	}
	g := &graph{packages: map[string]goPackage{}}
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return g, nil
		} else if err != nil {
			return nil, err
		}
		for i, name := range p.Imports {
			if mapped := p.ImportMap[name]; mapped != "" {
				p.Imports[i] = mapped
			}
		}
		g.packages[p.ImportPath] = p
		g.root = p.ImportPath // the last of them is what was asked for
	}
}

func (p goPackage) ours() bool { return p.Module != nil && p.Module.Main }

// direct are the modules that packages of ours import.
func (g *graph) direct() []string {
	found := map[string]bool{}
	for _, p := range g.packages {
		for _, name := range p.Imports {
			if m := g.packages[name].Module; p.ours() && m != nil && !m.Main {
				found[m.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// imported are the packages of a module that ours import.
func (g *graph) imported(module string) []string {
	found := map[string]bool{}
	for _, p := range g.packages {
		for _, name := range p.Imports {
			if m := g.packages[name].Module; p.ours() && m != nil && m.Path == module {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// through are the packages, without the standard library's, that are reached only
// through what ours import of a module.
func (g *graph) through(module string) (list []string) {
	reached := g.reach(func(from, to goPackage) bool {
		return from.ours() && to.Module != nil && to.Module.Path == module
	})
	for name, p := range g.packages {
		if !reached[name] && !p.Standard {
			list = append(list, name)
		}
	}
	return list
}

// reach walks from the program along all imports but those that are cut.
func (g *graph) reach(cut func(from, to goPackage) bool) map[string]bool {
	reached, waiting := map[string]bool{g.root: true}, []string{g.root}
	for len(waiting) > 0 {
		p := g.packages[waiting[0]]
		waiting = waiting[1:]
		for _, name := range p.Imports {
			if to, ok := g.packages[name]; ok && !reached[name] && !cut(p, to) {
				reached[name] = true
				waiting = append(waiting, name)
			}
		}
	}
	return reached
}

func (g *graph) standard() []string { return g.those(func(p goPackage) bool { return p.Standard }) }

func (g *graph) own() []string { return g.those(goPackage.ours) }

// shared are the packages of others that several of our dependencies need.
func (g *graph) shared() []string {
	single := map[string]bool{}
	for _, module := range g.direct() {
		for _, name := range g.through(module) {
			single[name] = true
		}
	}
	return g.those(func(p goPackage) bool { return !p.Standard && !p.ours() && !single[p.ImportPath] })
}

func (g *graph) those(wanted func(goPackage) bool) (list []string) {
	for name, p := range g.packages {
		if wanted(p) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

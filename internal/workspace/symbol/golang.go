package symbol

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"strings"
)

// goFile is a Go file that has been parsed.
type goFile struct {
	pos     *gotoken.FileSet
	symbols []Symbol
}

func readGo(src []byte) ([]Symbol, error) {
	f := goFile{pos: gotoken.NewFileSet()}
	file, err := parser.ParseFile(f.pos, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, goMistake(err)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			f.function(d)
		case *ast.GenDecl:
			f.general(d)
		}
	}
	return f.symbols, nil
}

// goMistake is the first error of a parser, with its line.
func goMistake(err error) error {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Errorf("line %d: %s", list[0].Pos.Line, list[0].Msg)
	}
	return err
}

func (f *goFile) function(d *ast.FuncDecl) {
	kind, name := "function", d.Name.Name
	if d.Recv != nil && len(d.Recv.List) > 0 {
		kind, name = "method", receiver(d.Recv.List[0].Type)+"."+name
	}
	f.add(kind, name, d.Doc, d, nil)
}

// receiver is the name of a receiver's type, without pointer and parameters.
func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

func (f *goFile) general(d *ast.GenDecl) {
	if d.Tok == gotoken.IMPORT {
		return
	}
	for _, spec := range d.Specs {
		kind, name, doc, comment := goSpec(d.Tok, spec)
		if d.Lparen.IsValid() {
			f.add(kind, name, doc, spec, comment)
		} else {
			f.add(kind, name, d.Doc, d, comment)
		}
	}
}

func goSpec(tok gotoken.Token, spec ast.Spec) (kind, name string, doc, comment *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return goType(s.Type), s.Name.Name, s.Doc, s.Comment
	case *ast.ValueSpec:
		var names []string
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
		kind = "variable"
		if tok == gotoken.CONST {
			kind = "const"
		}
		return kind, strings.Join(names, ", "), s.Doc, s.Comment
	}
	return "", "", nil, nil
}

func goType(e ast.Expr) string {
	switch e.(type) {
	case *ast.StructType:
		return "struct"
	case *ast.InterfaceType:
		return "interface"
	}
	return "type"
}

func (f *goFile) add(kind, name string, doc *ast.CommentGroup, n ast.Node, comment *ast.CommentGroup) {
	from, to := n.Pos(), n.End()
	if doc != nil {
		from = doc.Pos()
	}
	if comment != nil {
		to = comment.End()
	}
	// A //line comment must not move what is at hand: offsets are the file's own.
	f.symbols = append(f.symbols, Symbol{Kind: kind, Name: name, from: f.pos.Position(from).Offset, to: f.pos.Position(to).Offset})
}

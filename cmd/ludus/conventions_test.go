package main

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestConventions checks habits of this code: receivers are named after their types, structs hold no context (those of tests
// may), no variable hides package errors, and every package has a doc.go.
func TestConventions(t *testing.T) {
	documented := map[string]bool{}
	all := sources(t)
	for _, s := range all {
		documented[s.pkg] = documented[s.pkg] || filepath.Base(s.name) == "doc.go"
		if ast.IsGenerated(s.file) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			problem := ""
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && !namedAfterType(n.Recv.List[0]) {
					problem = "the receiver's name does not begin like a word of its type's"
				}
			case *ast.StructType:
				for _, field := range n.Fields.List {
					if x, ok := field.Type.(*ast.SelectorExpr); ok && x.Sel.Name == "Context" && !s.test {
						problem = "a struct has a context"
					}
				}
			}
			if problem != "" {
				t.Errorf("%s: %s", s.fset.Position(n.Pos()), problem)
			}
			return true
		})
		for _, d := range s.file.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if ok && slices.ContainsFunc(v.Names, func(name *ast.Ident) bool { return name.Name == "errors" }) {
					t.Errorf("%s: a variable of the package hides package errors", s.fset.Position(v.Pos()))
				}
			}
		}
	}
	for pkg, has := range documented {
		if !has {
			t.Errorf("%s has no doc.go", pkg)
		}
	}
}

// namedAfterType reports whether a receiver has no name or one that begins with the first letter of a word of its type's name,
// such as s for quadState.
func namedAfterType(receiver *ast.Field) bool {
	if len(receiver.Names) == 0 || receiver.Names[0].Name == "_" {
		return true
	}
	of := receiver.Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			initials := ""
			for i, r := range x.Name {
				if i == 0 || unicode.IsUpper(r) {
					initials += strings.ToLower(string(r))
				}
			}
			first := strings.ToLower(receiver.Names[0].Name[:1])
			return strings.Contains(initials, first)
		default:
			return false
		}
	}
}

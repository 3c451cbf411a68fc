package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/printer"
	"path"
	"regexp"
	"slices"
	"strings"
)

// surface is what a package exports.
type surface struct {
	lines    []string // a declaration each, sorted
	names    int      // functions, types, methods, constants and variables
	fields   int      // of structs
	unstable []string // lines that show types of packages that are not stable
}

// qualified matches the name of a package before one of its types.
var qualified = regexp.MustCompile(`\b(\w+)\.[A-Z]`)

// unstable reports whether a line shows a type of a package of this module that promises
// nothing.
func (p *folder) unstable(line string) bool {
	for _, m := range qualified.FindAllStringSubmatch(line, -1) {
		for _, f := range p.files {
			for _, i := range f.tree.Imports {
				of := strings.Trim(i.Path.Value, `"`)
				name := path.Base(of)
				if i.Name != nil {
					name = i.Name.Name
				}
				within, ours := strings.CutPrefix(of, module)
				if ours && name == m[1] && !slices.Contains(Stable, cmp.Or(strings.TrimPrefix(within, "/"), ".")) {
					return true
				}
			}
		}
	}
	return false
}

// module is the path of this module.
const module = "github.com/rffgo/rff"

// api returns what the package exports. Fields and methods stand after their type.
func (p *folder) api() surface {
	var s surface
	add := func(name bool, format string, a ...any) {
		line := strings.Join(strings.Fields(fmt.Sprintf(format, a...)), " ")
		s.lines = append(s.lines, line)
		if name {
			s.names++
		} else {
			s.fields++
		}
		if p.unstable(line) {
			s.unstable = append(s.unstable, line)
		}
	}
	for _, f := range p.files {
		text := func(n ast.Node) string {
			var b bytes.Buffer
			printer.Fprint(&b, f.set, n)
			return b.String()
		}
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					head := &ast.FuncDecl{Name: d.Name, Type: d.Type}
					if d.Recv != nil {
						head.Recv = &ast.FieldList{List: []*ast.Field{{Type: d.Recv.List[0].Type}}}
					}
					add(true, "%s", text(head))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, n := range spec.Names {
							if n.IsExported() {
								kind := ""
								if spec.Type != nil {
									kind = text(spec.Type)
								}
								add(true, "%s %s %s", d.Tok, n.Name, kind)
							}
						}
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							declareType(spec, text, add)
						}
					}
				}
			}
		}
	}
	s.borrow(p.root)
	slices.Sort(s.lines)
	s.lines = slices.Compact(s.lines)
	slices.Sort(s.unstable)
	s.unstable = slices.Compact(s.unstable)
	return s
}

// alias matches the line of a name for a type of a package that is not stable, which may
// be generic.
var alias = regexp.MustCompile(`^type (\w+) = (\w+)\.(\w+)(\[\w+\])?$`)

// borrow adds the fields and methods of types that the package only has a name for: they
// are promised with the name.
func (s *surface) borrow(root string) {
	for _, line := range slices.Clone(s.lines) {
		m := alias.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		of, err := read(root, m[2])
		if err != nil {
			continue // it stands among the unstable ones
		}
		s.unstable = slices.DeleteFunc(s.unstable, func(l string) bool { return l == line })
		for _, l := range of.api().lines {
			if rest, ok := strings.CutPrefix(l, "type "+m[3]+" struct: "); ok {
				s.lines, s.fields = append(s.lines, line+": "+rest), s.fields+1
			} else if receives.MatchString(l) && receives.FindStringSubmatch(l)[1] == m[3] {
				s.lines, s.names = append(s.lines, line+": "+l), s.names+1
			}
		}
	}
}

// receives matches the line of a method.
var receives = regexp.MustCompile(`^func \(\*?(\w+)(?:\[\w+\])?\)`)

// declareType adds a type with its exported fields or methods.
func declareType(spec *ast.TypeSpec, text func(ast.Node) string, add func(bool, string, ...any)) {
	name := spec.Name.Name
	switch t := spec.Type.(type) {
	case *ast.StructType:
		add(true, "type %s struct", name)
		for _, f := range t.Fields.List {
			if f.Names == nil {
				add(false, "type %s struct: embedded %s", name, text(f.Type))
			}
			for _, n := range f.Names {
				if n.IsExported() {
					add(false, "type %s struct: %s %s", name, n.Name, text(f.Type))
				}
			}
		}
	case *ast.InterfaceType:
		add(true, "type %s interface", name)
		for _, f := range t.Methods.List {
			for _, n := range f.Names {
				add(true, "type %s interface: %s%s", name, n.Name, strings.TrimPrefix(text(f.Type), "func"))
			}
			if f.Names == nil {
				add(false, "type %s interface: embedded %s", name, text(f.Type))
			}
		}
	default:
		equals := ""
		if spec.Assign.IsValid() {
			equals = "= "
		}
		add(true, "type %s %s%s", name, equals, text(spec.Type))
	}
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch v := t.(type) {
		case *ast.StarExpr:
			t = v.X
		case *ast.IndexExpr:
			t = v.X
		case *ast.Ident:
			return v.Name
		default:
			return ""
		}
	}
}

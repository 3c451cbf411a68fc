package main

import (
	"errors"
	"go/ast"
	"go/types"
)

// arrowsBack counts what keeps the files of a package from standing in an order in which
// each uses only those below it: an arrow points from a file to one that declares a function,
// a method, a type, a constant or a variable that it uses. The order is that of Eades, Lin and
// Smyth (1993), which leaves few arrows that point up, bettered file by file.
func (p *folder) arrowsBack() int {
	var trees []*ast.File
	at := map[string]int{}
	for i, f := range p.files {
		trees = append(trees, f.tree)
		at[f.path] = i
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// What other packages declare is not known, and leaves errors that do not matter here.
	config := types.Config{Importer: none{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check("p", p.set, trees, info)
	uses := make([]map[int]bool, len(p.files))
	for i := range uses {
		uses[i] = map[int]bool{}
	}
	for id, o := range info.Uses {
		f, method := o.(*types.Func)
		if o.Pkg() != pkg || o.Parent() != pkg.Scope() && !(method && f.Signature().Recv() != nil) {
			continue
		}
		from, to := at[p.set.Position(id.Pos()).Filename], at[p.set.Position(o.Pos()).Filename]
		if from != to {
			uses[from][to] = true
		}
	}
	place := order(uses)
	settle(uses, place)
	back := 0
	for i := range uses {
		for j := range uses[i] {
			if place[j] < place[i] {
				back++
			}
		}
	}
	return back
}

// none imports nothing.
type none struct{}

func (none) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// order returns the place of every file, users before what they use where that can be.
func order(uses []map[int]bool) []int {
	at := make([]int, len(uses))
	for i := range at {
		at[i] = -1
	}
	first, last := 0, len(uses)-1
	for first <= last {
		best, most := -1, -1<<30
		sink := -1
		for i := range uses {
			if at[i] >= 0 {
				continue
			}
			out, in := 0, 0
			for j := range uses {
				if at[j] < 0 && uses[i][j] {
					out++
				}
				if at[j] < 0 && uses[j][i] {
					in++
				}
			}
			if out == 0 {
				sink = i
				break
			}
			if in == 0 {
				out = 1 << 20
			}
			if out-in > most {
				best, most = i, out-in
			}
		}
		if sink >= 0 {
			at[sink] = last
			last--
			continue
		}
		at[best] = first
		first++
	}
	return at
}

// settle moves single files to where fewest of their arrows point up, until none gains.
func settle(uses []map[int]bool, place []int) {
	for gained := true; gained; {
		gained = false
		for i := range uses {
			// How many arrows of file i point up if it stands at place p.
			up := func(p int) (n int) {
				for j := range uses {
					at := place[j]
					if at > place[i] {
						at-- // the others, without file i
					}
					if uses[i][j] && at < p || uses[j][i] && at >= p {
						n++
					}
				}
				return n
			}
			best, least := place[i], up(place[i])
			for p := range uses {
				if n := up(p); n < least {
					best, least = p, n
				}
			}
			if best == place[i] {
				continue
			}
			gained = true
			for j := range place {
				switch {
				case j == i:
				case place[i] < place[j] && place[j] <= best:
					place[j]--
				case best <= place[j] && place[j] < place[i]:
					place[j]++
				}
			}
			place[i] = best
		}
	}
}

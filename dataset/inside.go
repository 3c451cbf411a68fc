package dataset

import "github.com/rffgo/rff/internal/inside/hook"

// The programs of this module get these by internal/inside/files.
func init() {
	hook.ReadingOf = func(o any) *hook.Reading { return &o.(*Options).ours }
	hook.ColumnsOf = func(e any) []string { return e.(*ParseError).columns }
	hook.Decided = func(c any) string { return c.(Coding).decided }
}

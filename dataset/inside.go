package dataset

import (
	"context"

	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/look"
)

// The programs of this module reach these functions through cmd/rff/files.
func init() {
	hook.ReadingOf = func(o any) *hook.Reading { return &o.(*Options).ours }
	hook.ColumnsOf = func(e any) []string { return e.(*ParseError).columns }
	hook.LookOf = func(s any) any { return s.(*Summary).look }
	hook.SummaryOf = func(l any, task string) (any, error) { return summaryOf(l.(*look.Look), Task(task)) }
	hook.LookAtColumns = func(ctx context.Context, o any, paths []string) (look, files any, err error) {
		return lookAtColumns(ctx, o.(Options), paths)
	}
	hook.HeaderOf = func(f any) []string { return f.(*Files).options.ours.Like }
	hook.FormatOf = func(f any) string { return f.(*Files).layout.format }
	hook.SurveyOf = func(f any) any { return f.(*Files).layout.survey }
	hook.Filled = func(f, s any) any { return f.(*Files).filled(s.(*Summary).mean) }
	hook.PlaceOf = func(t any, i int) any { return t.(*Table).place(i) }
	hook.LabelFile = labelFile
	hook.Decided = func(c any) string { return c.(Coding).decided }
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// quiet passes on warnings only: what fails is in the error of the job, too, and what
// goes well is in its result.
type quiet struct{ slog.Handler }

func (quiet) Enabled(_ context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && l < slog.LevelError
}

func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }
func (q quiet) WithGroup(name string) slog.Handler   { return quiet{q.Handler.WithGroup(name)} }

// logs sets what is shown of the logs of a runner in this process.
func logs() {
	if !*verbose {
		slog.SetDefault(slog.New(quiet{slog.NewTextHandler(os.Stderr, nil)}))
	}
}

// causeOf returns what a job has failed of. A runner's error has the plan of the stage that
// failed first, and the cause last.
func causeOf(err error) string {
	text := err.Error()
	const cause = " failed:\n"
	if i := strings.LastIndex(text, cause); i >= 0 && !*verbose {
		if last := strings.TrimSpace(text[i+len(cause):]); last != "" {
			return last
		}
	}
	return text
}

// reachable returns the error about a flag whose file is of a file system that the
// program does not have.
func reachable(ctx context.Context) error {
	for flag, name := range map[string]string{"data": *data, "model": *model, "output": *output, "plan": *planFile, "bad-rows": *badRows} {
		if name == "" {
			continue
		}
		fs, err := filesystem.New(ctx, name)
		if err != nil {
			return fmt.Errorf("--%s: rffbeam has the file systems of disks and of gs:// alone: %w", flag, err)
		}
		fs.Close()
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/bench/sets"
)

// dataActions are what rff data does.
var dataActions = []string{"list", "verify"}

func dataCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(cataloguing), &cobra.Command{
		Use:   "data [ACTION]",
		Short: "list the data sets of the papers, or verify those that are here",
		Long: `rff data list says of every data set of the papers where to get it, its licence, whom to
cite, its files with rows, inputs and SHA-256, and what differs from the papers' copy.
rff data verify compares the files below the data folder with these digests; it fails if a
file has other bytes, not if one is missing.`,
		Example: `rff data list
rff data verify --data-dir data`,
		Args:      operand("action"),
		ValidArgs: dataActions,
	})
}

// cataloguing is rff data as the command line asks for it.
type cataloguing struct {
	action, folder string
}

func (c *cataloguing) declare(f *flag.FlagSet) {
	f.StringVar(&c.action, "action", "", "what to do: `list|verify`")
	f.StringVar(&c.folder, "data-dir", "", "`folder` of the named data sets (default: environment variable RFF_DATA)")
}

func (c *cataloguing) check(f *flag.FlagSet) error {
	switch c.action {
	case "list":
		return given{f}.unused(true, "is for rff data verify", "data-dir")
	case "verify":
		return nil
	case "":
		return usagef("say what to do: rff data list or rff data verify")
	}
	return usagef("rff data does %s, not %q", strings.Join(dataActions, " and "), c.action)
}

func (c *cataloguing) run(ctx context.Context, s *stdio) error {
	if c.action == "verify" {
		return verifySets(ctx, s, c.folder)
	}
	listSets(s)
	return nil
}

func listSets(s *stdio) {
	for _, e := range sets.Catalog() {
		fmt.Fprintf(s.out, "%s: %s, %s\n", e.Name, e.Title, e.Task)
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(s.out, "  %-9s %s\n", name, text)
			}
		}
		line("papers", strings.Join(e.Papers, "; "))
		line("source", e.Source)
		line("licence", e.Licence)
		line("cite", e.Citation)
		line("differs", e.Differs)
		for _, f := range e.Files {
			size := fmt.Sprintf("%d rows × %d inputs", f.Rows, f.Columns)
			if f.Columns == 0 {
				size = fmt.Sprintf("%d labels", f.Rows)
			}
			line("file", fmt.Sprintf("%s, %s, SHA-256 %s", f.Path, size, f.SHA256))
		}
		if !e.Readable {
			line("note", "rff has no reader for this set: experiments that need it say no data")
		}
	}
}

func verifySets(ctx context.Context, s *stdio, folder string) error {
	same, other, missing := 0, 0, 0
	for _, e := range sets.Catalog() {
		for _, f := range e.Files {
			err := f.Verify(ctx, e.Name, folder)
			var absent *sets.FolderError
			var digest *sets.DigestError
			switch {
			case err == nil:
				same++
				fmt.Fprintf(s.out, "ok       %s\n", f.Path)
			case errors.As(err, &absent) && absent.File == "":
				return usagef("say where the files are: --data-dir or the environment variable RFF_DATA")
			case errors.As(err, &absent):
				missing++
				fmt.Fprintf(s.out, "missing  %s: %s\n", f.Path, e.Source)
			case errors.As(err, &digest):
				other++
				fmt.Fprintf(s.out, "differs  %s: SHA-256 %s, not %s\n", f.Path, digest.SHA256, digest.Want)
			default:
				return err
			}
		}
	}
	s.note("%d files as listed, %d missing, %d with other bytes", same, missing, other)
	if other > 0 {
		return errors.New("files differ from those that the results were made from: the rows may be the same, packed otherwise, or others")
	}
	return nil
}

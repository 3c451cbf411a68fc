package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rffgo/rff/bench/catalog"
	"github.com/rffgo/rff/cmd/rff/sets"
)

func dataCommand() *cobra.Command {
	c := &cobra.Command{Use: "data", Short: "list the data sets of the papers, or verify those that are here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("say what to do: rffbench data list or rffbench data verify")
		}}
	c.AddCommand(&cobra.Command{Use: "list", Args: cobra.NoArgs, Short: "list the data sets of the papers",
		Long: `Says of every data set of the papers where to get it, its licence, whom to cite, its files
with rows, inputs and SHA-256, and what differs from the papers' copy.`,
		RunE: func(c *cobra.Command, _ []string) error {
			listSets(c.OutOrStdout())
			return nil
		}})
	verify := &cobra.Command{Use: "verify", Args: cobra.NoArgs, Short: "compare the files that are here with their digests",
		Long: `Compares the files below the data folder with the digests that the list has. It fails if a
file has other bytes, not if one is missing.`}
	folder := verify.Flags().String("data-dir", "", "`folder` of the named data sets (default: environment variable RFF_DATA)")
	verify.RunE = func(c *cobra.Command, _ []string) error {
		return verifySets(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), *folder)
	}
	c.AddCommand(verify)
	return c
}

func listSets(w io.Writer) {
	for _, e := range catalog.Sets() {
		fmt.Fprintf(w, "%s: %s, %s\n", e.Name, e.Title, e.Task)
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(w, "  %-9s %s\n", name, text)
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

func verifySets(ctx context.Context, out, errs io.Writer, folder string) error {
	same, other, missing := 0, 0, 0
	for _, e := range catalog.Sets() {
		for _, f := range e.Files {
			err := f.Verify(ctx, e.Name, folder)
			var absent *sets.FolderError
			var digest *catalog.DigestError
			switch {
			case err == nil:
				same++
				fmt.Fprintf(out, "ok       %s\n", f.Path)
			case errors.As(err, &absent) && absent.File == "":
				return usagef("say where the files are: --data-dir or the environment variable RFF_DATA")
			case errors.As(err, &absent):
				missing++
				fmt.Fprintf(out, "missing  %s: %s\n", f.Path, e.Source)
			case errors.As(err, &digest):
				other++
				fmt.Fprintf(out, "differs  %s: SHA-256 %s, not %s\n", f.Path, digest.SHA256, digest.Want)
			default:
				return err
			}
		}
	}
	fmt.Fprintf(errs, "rffbench: %d files as listed, %d missing, %d with other bytes\n", same, missing, other)
	if other > 0 {
		return errors.New("files differ from those that the results were made from: the rows may be the same, packed otherwise, or others")
	}
	return nil
}

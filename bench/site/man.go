package main

import (
	"fmt"
	"strings"
)

// roff keeps characters from being commands of the formatter.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace

// man is the manual page of the command.
func (s *site) man() []byte {
	var b strings.Builder
	b.WriteString(".TH RFF 1\n.SH NAME\nrff \\- kernel ridge regression on random features\n.SH SYNOPSIS\n.B rff\n.I COMMAND\n[\\-\\-flag value ...]\n.SH COMMANDS\n")
	for _, c := range s.help {
		fmt.Fprintf(&b, ".SS rff %s\n%s\n.PP\nFor example:\n.PP\n.nf\n", c.Name, roff(c.Long))
		for _, line := range c.Example {
			fmt.Fprintf(&b, "%s\n", roff(line))
		}
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH FLAGS\n")
	for _, g := range s.options() {
		fmt.Fprintf(&b, ".SS %s\n", roff(g.Name))
		for _, o := range g.Flags {
			fmt.Fprintf(&b, ".TP\n.B \\-\\-%s\n%s", roff(strings.TrimSpace(o.Name+" "+o.Value)), roff(sentence(o.Text)))
			if o.Need != "" {
				fmt.Fprintf(&b, "\nIts value %s.", roff(o.Need))
			}
			if o.Default != "" {
				fmt.Fprintf(&b, "\nDefault: %s.", roff(o.Default))
			}
			fmt.Fprintf(&b, "\nCommands: %s.\n", roff(strings.Join(o.Commands, ", ")))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 for success, 1 for a failure, 2 for a wrong command line, 130 after an interrupt and 143 after SIGTERM.\n")
	return []byte(b.String())
}

package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// command is what the help of a command says.
type command struct {
	Name, Short, Usage, Long string
	Groups                   []flagGroup
	Example                  []string
}

type flagGroup struct {
	Name  string
	Flags []option
}

// option is a flag of a command.
type option struct {
	Name, Value, Text, Default string
	Need                       string // what its value must be, as its refusal says
	Commands                   []string
}

var (
	listed    = regexp.MustCompile(`(?m)^  ([a-z]+) +(\S.*)$`)
	declared  = regexp.MustCompile(`^  --([a-z-]+)(?: (.+))?$`)
	byDefault = regexp.MustCompile(`(?s) \(default:? ([^()]*(?:\([^()]*\)[^()]*)*)\)(; [^;]*)?$`)
	refused   = regexp.MustCompile(`(?s)invalid value "\?" for --[a-z-]+: (must .*) \(see rff`)
)

// readHelp asks the command for all of its help, and each flag what it takes.
func (s *site) readHelp(ctx context.Context) error {
	text, err := s.rff(ctx, "help")
	if err != nil {
		return err
	}
	s.needs = map[string]string{}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		help, err := s.rff(ctx, "help", m[1])
		if err != nil {
			return err
		}
		c := parseHelp(help)
		c.Name, c.Short = m[1], m[2]
		for _, g := range c.Groups {
			for i := range g.Flags {
				g.Flags[i].Need = s.need(ctx, c.Name, &g.Flags[i])
			}
		}
		s.help = append(s.help, c)
	}
	if len(s.help) == 0 {
		return fmt.Errorf("rff help lists no commands")
	}
	return nil
}

// rff returns what the command prints.
func (s *site) rff(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, s.bin+"/rff", args...).CombinedOutput()
	return string(out), err
}

// need is what the value of a flag must be: its refusal of a value that makes no sense.
// The flag after it, which there is not, keeps the command from working.
func (s *site) need(ctx context.Context, command string, o *option) string {
	if o.Value == "" {
		return ""
	}
	key := o.Name + o.Value + o.Text
	if _, known := s.needs[key]; !known {
		out, _ := s.rff(ctx, command, "--"+o.Name, "?", "--no-such-flag")
		s.needs[key] = ""
		if m := refused.FindStringSubmatch(out); m != nil {
			s.needs[key] = strings.Join(strings.Fields(m[1]), " ")
		}
	}
	return s.needs[key]
}

// parseHelp takes the help of a command apart.
func parseHelp(text string) (c command) {
	usage, rest, _ := strings.Cut(text, "\n\n")
	c.Usage = strings.TrimPrefix(usage, "Usage: ")
	head, example, _ := strings.Cut(rest, "\n\nExample:\n\n")
	for line := range strings.Lines(example) {
		if line = strings.TrimSpace(line); line != "" {
			c.Example = append(c.Example, line)
		}
	}
	blocks := strings.Split(head, "\n\n")
	for len(blocks) > 0 && !strings.Contains(blocks[0], "\n  --") {
		c.Long += blocks[0] + "\n\n"
		blocks = blocks[1:]
	}
	for _, block := range blocks {
		name, flags, _ := strings.Cut(block, "\n")
		g := flagGroup{Name: name}
		for line := range strings.Lines(flags) {
			line = strings.TrimRight(line, "\n")
			if m := declared.FindStringSubmatch(line); m != nil {
				g.Flags = append(g.Flags, option{Name: m[1], Value: m[2]})
			} else if n := len(g.Flags); n > 0 {
				g.Flags[n-1].Text = strings.TrimSpace(g.Flags[n-1].Text + " " + strings.TrimSpace(line))
			}
		}
		for i := range g.Flags {
			o := &g.Flags[i]
			if m := byDefault.FindStringSubmatch(o.Text); m != nil {
				o.Default = m[1]
				o.Text = strings.TrimSuffix(o.Text, m[0]) + m[2]
			}
		}
		c.Groups = append(c.Groups, g)
	}
	c.Long = strings.TrimSpace(c.Long)
	return c
}

// options are the flags of all commands in the order of the help, those of several commands
// once if they say the same.
func (s *site) options() (groups []flagGroup) {
	most := slices.MaxFunc(s.help, func(a, b command) int { return len(a.Groups) - len(b.Groups) })
	for _, g := range most.Groups {
		groups = append(groups, flagGroup{Name: g.Name})
	}
	for _, c := range s.help {
		for _, g := range c.Groups {
			i := slices.IndexFunc(groups, func(x flagGroup) bool { return x.Name == g.Name })
			if i < 0 {
				i = len(groups)
				groups = append(groups, flagGroup{Name: g.Name})
			}
			for _, o := range g.Flags {
				all := groups[i].Flags
				same := slices.IndexFunc(all, func(x option) bool {
					return x.Name == o.Name && x.Text == o.Text && x.Default == o.Default && x.Need == o.Need
				})
				if same >= 0 {
					all[same].Commands = append(all[same].Commands, c.Name)
					continue
				}
				o.Commands = []string{c.Name}
				groups[i].Flags = append(all, o)
			}
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g.Flags, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	}
	return groups
}

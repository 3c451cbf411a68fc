package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// completionCommand is a function, not a variable, because it reads the table
// of commands that it stands in.
func completionCommand() *command {
	return &command{
		name:    "completion",
		operand: "shell",
		summary: "print what makes a shell complete rff's commands and flags",
		details: `Prints a script that completes commands, flags, names of samplers and the like, and files.
bash: put  source <(rff completion bash)  into ~/.bashrc
zsh:  put  source <(rff completion zsh)  into ~/.zshrc, after compinit
fish: rff completion fish > ~/.config/fish/completions/rff.fish`,
		example: `source <(rff completion bash)`,
		setup: func(f *flag.FlagSet) func(context.Context, *stdio) error {
			shell := f.String("shell", "", "`shell`: bash, zsh or fish")
			return func(_ context.Context, s *stdio) error {
				write, ok := completions[*shell]
				if !ok && *shell == "" {
					return usagef("say for which shell: rff completion bash, zsh or fish")
				} else if !ok {
					return usagef("there are completions for bash, zsh and fish, not for %q", *shell)
				}
				return write(s.out, completable())
			}
		},
	}
}

var completions = map[string]func(io.Writer, []completed) error{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}

// completed is a command as a shell sees it.
type completed struct {
	name, summary string
	flags         []completedFlag
	operands      bool     // takes files without a flag
	words         []string // that may stand for the operand
}

type completedFlag struct {
	name, about string
	value       string // what it is called, "" for a switch
	words       []string
	files       bool
	list        bool // several values, separated by commas
}

// completable reads the commands and their flags from the tables that the
// commands themselves and --help use.
func completable() []completed {
	out := []completed{{name: "help", summary: "show the flags of a command"}, {name: "version", summary: "show the version"}}
	for _, c := range commands() {
		out[0].words = append(out[0].words, c.name)
		f := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.setup(f)
		done := completed{name: c.name, summary: c.summary, operands: c.operands != ""}
		for _, g := range grouped(f) {
			for _, v := range g.flags {
				value, usage := flag.UnquoteUsage(v)
				about, _, _ := strings.Cut(usage, "\n")
				d := completedFlag{name: v.Name, about: about, words: flagValues(v.Name)}
				if takesValue(v) {
					d.value = value
				}
				d.files = value == "file" || value == "folder"
				switch v.Value.(type) {
				case *list, *specs, *counts:
					d.list = true
				}
				if v.Name == c.operand {
					done.operands, done.words = done.operands || d.files, d.words
				}
				done.flags = append(done.flags, d)
			}
		}
		done.flags = append(done.flags, completedFlag{name: "help", about: "show the flags"})
		out = append(out, done)
	}
	return out
}

func completeBash(w io.Writer, all []completed) error {
	var b strings.Builder
	b.WriteString(`# Completion of rff for bash, made by: rff completion bash
_rff() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= files= list= head=
	COMPREPLY=()
	# --flag=value comes as three words.
	if [ "$cur" = "=" ]; then
		cur=
	elif [ "$prev" = "=" ]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="` + words(all, func(c completed) string { return c.name }) + `"
	else
		case "${COMP_WORDS[1]} $prev" in
`)
	for _, c := range all {
		for _, f := range c.flags {
			if f.value == "" {
				continue
			}
			var set []string
			if len(f.words) > 0 {
				set = append(set, `words="`+strings.Join(f.words, " ")+`"`)
			}
			if f.files {
				set = append(set, "files=1")
			}
			if f.list {
				set = append(set, "list=1")
			}
			set = append(set, ":")
			fmt.Fprintf(&b, "\t\t\"%s --%s\"|\"%s -%s\") %s ;;\n", c.name, f.name, c.name, f.name, strings.Join(set, "; "))
		}
	}
	b.WriteString("\t\t*)\n\t\t\tcase \"${COMP_WORDS[1]}\" in\n")
	for _, c := range all {
		set := []string{`words="` + strings.Join(c.words, " ") + `"`}
		if c.operands {
			set = append(set, "files=1")
		}
		fmt.Fprintf(&b, "\t\t\t%s) case \"$cur\" in -*) words=\"%s\" ;; *) %s ;; esac ;;\n",
			c.name, words(c.flags, func(f completedFlag) string { return "--" + f.name }), strings.Join(set, "; "))
	}
	b.WriteString(`			esac ;;
		esac
	fi
	if [ -n "$list" ] && [ "${cur%,*}" != "$cur" ]; then
		head=${cur%,*},
		cur=${cur##*,}
	fi
	local IFS=$'\n'
	if [ -n "$files" ]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -P "$head" -W "${words// /$'\n'}" -- "$cur") $(compgen -P "$head" -f -- "$cur"))
	else
		COMPREPLY=($(compgen -P "$head" -W "${words// /$'\n'}" -- "$cur"))
	fi
}
complete -F _rff rff
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// words joins a word of each of all.
func words[T any](all []T, of func(T) string) string {
	var s []string
	for _, v := range all {
		s = append(s, of(v))
	}
	return strings.Join(s, " ")
}

func completeZsh(w io.Writer, all []completed) error {
	quote := func(s string) string {
		return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `[`, `\[`, `]`, `\]`, `'`, `’`).Replace(s)
	}
	var b strings.Builder
	b.WriteString("#compdef rff\n# Completion of rff for zsh, made by: rff completion zsh\n_rff() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", c.name, quote(c.summary))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s) _arguments", c.name)
		for _, f := range c.flags {
			about := quote(f.about)
			if f.value == "" {
				fmt.Fprintf(&b, " \\\n\t\t'--%s[%s]'", f.name, about)
				continue
			}
			action := ""
			switch {
			case f.list && f.files:
				action = "_files"
			case f.list && f.words != nil:
				action = "_values -s , " + f.value + " " + strings.Join(f.words, " ")
			case f.files:
				action = "_files"
			case f.words != nil:
				action = "(" + strings.Join(f.words, " ") + ")"
			}
			star := ""
			if f.list {
				star = "*"
			}
			fmt.Fprintf(&b, " \\\n\t\t'%s--%s=[%s]:%s:%s'", star, f.name, about, quote(f.value), action)
		}
		switch {
		case c.operands:
			b.WriteString(" \\\n\t\t'*:file:_files'")
		case c.words != nil:
			fmt.Fprintf(&b, " \\\n\t\t'1:word:(%s)'", strings.Join(c.words, " "))
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("\tesac\n}\nif [ \"$funcstack[1]\" = _rff ]; then\n\t_rff \"$@\"\nelse\n\tcompdef _rff rff\nfi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func completeFish(w io.Writer, all []completed) error {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	var b strings.Builder
	b.WriteString("# Completion of rff for fish, made by: rff completion fish\ncomplete -c rff -f\n")
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c rff -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.summary))
	}
	for _, c := range all {
		on := fmt.Sprintf("complete -c rff -n '__fish_seen_subcommand_from %s'", c.name)
		switch {
		case c.operands:
			fmt.Fprintf(&b, "%s -F\n", on)
		case c.words != nil:
			fmt.Fprintf(&b, "%s -a %s\n", on, quote(strings.Join(c.words, " ")))
		}
		for _, f := range c.flags {
			how := ""
			switch {
			case f.value == "":
			case f.files && f.words != nil:
				how = " -r -F -a " + quote(strings.Join(f.words, " "))
			case f.files:
				how = " -r -F"
			case f.words != nil:
				how = " -x -a " + quote(strings.Join(f.words, " "))
			default:
				how = " -x"
			}
			fmt.Fprintf(&b, "%s -l %s%s -d %s\n", on, f.name, how, quote(f.about))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

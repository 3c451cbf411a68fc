package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"
)

func completionCommand(s *stdio) *cobra.Command {
	j := new(completing)
	j.command = newCommand(s, j, &cobra.Command{
		Use:   "completion [SHELL]",
		Short: "print what makes a shell complete rff's commands and flags",
		Long: `Prints a script that completes commands, flags, names of samplers and the like, and files.
bash: put  source <(rff completion bash)  into ~/.bashrc, after the package bash-completion
zsh:  put  source <(rff completion zsh)  into ~/.zshrc, after compinit
fish: rff completion fish > ~/.config/fish/completions/rff.fish
PowerShell: put  rff completion powershell | Out-String | Invoke-Expression  into $PROFILE`,
		Example:   `source <(rff completion bash)`,
		Args:      operand("shell"),
		ValidArgs: shells,
	})
	return j.command
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

// completing has the flags of rff completion.
type completing struct {
	shell   string
	command *cobra.Command
}

func (c *completing) declare(f *flag.FlagSet) {
	f.StringVar(&c.shell, "shell", "", "`shell`: bash, zsh, fish or powershell")
	words(f, "shell", shells...)
}

func (c *completing) check(*flag.FlagSet) error {
	if c.shell == "" {
		return usagef("say for which shell: rff completion bash, zsh, fish or powershell")
	}
	return nil
}

func (c *completing) run(_ context.Context, s *stdio) error {
	root := c.command.Root()
	write, ok := map[string]func(io.Writer) error{
		"bash":       func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        root.GenZshCompletion,
		"fish":       func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": root.GenPowerShellCompletionWithDesc,
	}[c.shell]
	if !ok {
		return usagef("there are completions for bash, zsh, fish and powershell, not for %q", c.shell)
	}
	return write(s.data)
}

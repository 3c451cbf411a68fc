//go:build unix

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// A command that waits for the writer of a pipe still obeys signals.
func TestWaitingPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", waves(40))
	ok(t, "gram --data d.csv --features 16 --output g")
	mkfifo(t, "pipe")
	for _, line := range []string{
		"predict --model pipe --data d.csv",
		"gram --like pipe --data d.csv --output o",
		"merge --output o g pipe",
		"solve --gram pipe --model o",
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(50*time.Millisecond, func() { cancel(&stopped{exitTerminated}) })
		var out, errs bytes.Buffer
		status := run(ctx, &stdio{in: strings.NewReader(""), out: &out, err: &errs}, strings.Fields(line))
		timer.Stop()
		if status != exitTerminated || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("rff %s: status %d, %q", line, status, errs.String())
		}
	}
}

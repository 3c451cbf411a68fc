package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What cannot be done is refused in a line that names flag or file, and says what to do;
// without a job for the plan, where flags say it.
func TestRefusalsOfAUser(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rows := []byte("a,b,y\n" + strings.Repeat("1,2,3\n2,3,4\n", 50))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(rows)
	z.Close()
	for name, data := range map[string][]byte{
		"d.csv": rows, "bad.csv": []byte("a,b,y\n1,2,3\n1,x,4\n"), "g.csv.gz": append(packed.Bytes(), "garbage\n"...),
		"broken.parquet": append([]byte("PAR1"), bytes.Repeat([]byte{7}, 500)...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string][]string{
		"fit --dat d.csv":                                                      {"-dat", "--help"},
		"fit --data d.csv":                                                     {"--model"},
		"fit --data d.csv --model m --lambda -1":                               {"--lambda -1", "positive"},
		"fit --data d.csv --model m --folds 1":                                 {"--folds 1", "--lambda"},
		"fit --data d.csv --model m --fanout 9999":                             {"--fanout 9999", "4096"},
		"fit --data d.csv --model m --features 0":                              {"--features 0", "from 1"},
		"fit --data d.csv --model m --runner none":                             {"--runner \"none\"", "prism, universal or flink"},
		"fit --data d.csv --model m --runner universal":                        {"--endpoint HOST:PORT"},
		"fit --data d.csv --model m --runner universal --endpoint localhost:1": {"--endpoint", "no job server"},
		"fit --data d.csv --model m --plan d.csv":                              {"--plan: d.csv", "safetensors"},
		"fit --data none*.csv --model m":                                       {"none*.csv"},
		"fit --data d.csv --model m --label z":                                 {"d.csv", "\"z\"", "\"a\""},
		"fit --data bad.csv --model m":                                         {"bad.csv", "row 2", "\"b\"", "\"x\""},
		"fit --data g.csv.gz --model m":                                        {"g.csv.gz", "truncated, or other bytes follow them"},
		"fit --data broken.parquet --model m":                                  {"broken.parquet", "damaged"},
		"predict --data d.csv --model none --output o":                         {"none", "no such file"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		c := role("command", strings.Fields(line)...)
		c = exec.CommandContext(ctx, c.Path, c.Args[1:]...)
		c.Env = append(os.Environ(), "RFFBEAM_ROLE=command")
		out, err := c.CombinedOutput()
		cancel()
		if err == nil || strings.Count(strings.TrimSpace(string(out)), "\n") > 1 {
			t.Errorf("rffbeam %s: %v, and says\n%s", line, err, out)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("rffbeam %s: %q is not in %q", line, w, out)
			}
		}
		if left, _ := filepath.Glob("m*"); len(left) > 0 {
			t.Errorf("rffbeam %s has left %v", line, left)
		}
	}
}

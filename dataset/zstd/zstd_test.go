package zstd_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/zstd"
)

func file(t *testing.T, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "t.csv.zst")
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func compress(t *testing.T, text string, o ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, o...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.Bytes()
}

func TestZstandard(t *testing.T) {
	ctx := context.Background()
	data := compress(t, "a,y\n1,u\n2,v\n")
	f, err := dataset.Open(context.Background(), dataset.Options{}, file(t, data))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		table, err := f.Table(ctx)
		if err != nil || !slices.Equal(table.X.Data, []float64{1, 2}) {
			t.Fatalf("%+v, %v", table, err)
		}
	}
	long := compress(t, "a,y\n"+strings.Repeat("1,u\n2,v\n", 1<<18))
	for name, cut := range map[string][]byte{"cut": long[:len(long)/2], "damaged": append(slices.Clone(long[:40]), long[60:]...)} {
		if _, err := dataset.Read(ctx, dataset.Options{}, file(t, cut)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A frame that asks for a window of 512 MiB is refused before that is taken.
func TestWindowIsBounded(t *testing.T) {
	// RFC 8878: magic, descriptor without content size, window descriptor: exponent
	// 19, mantissa 0, 2^(10+19) bytes; then a last block of one repeated byte.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 19 << 3, 0x03, 0x00, 0x40, '1'}
	_, err := dataset.Open(context.Background(), dataset.Options{}, file(t, frame))
	if err == nil || !strings.Contains(err.Error(), "window") {
		t.Errorf("%v", err)
	}
}

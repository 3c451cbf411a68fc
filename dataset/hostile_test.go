package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff/internal/require"
)

// A hostile file is small on disk, or endless, and would be large in memory or
// slow to read.
type hostile struct {
	name string
	make func(w io.Writer)
	want string // in the error; "" for none
}

// repeat writes s n times.
func repeat(w io.Writer, s string, n int) {
	b := []byte(strings.Repeat(s, max(1, min(n, 1<<16/len(s)))))
	for left := n * len(s); left > 0; left -= len(b) {
		w.Write(b[:min(left, len(b))])
	}
}

func text(parts ...any) func(io.Writer) {
	return func(w io.Writer) {
		for i := 0; i < len(parts); i += 2 {
			repeat(w, parts[i].(string), parts[i+1].(int))
		}
	}
}

func packed(f func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		z := gzip.NewWriter(w)
		defer z.Close()
		f(z)
	}
}

func raw(b []byte) func(io.Writer) { return func(w io.Writer) { w.Write(b) } }

func numpyHeader(version byte, size uint32, header string) []byte {
	b := []byte(npyMagic + string([]byte{version, 0}))
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(size))
	} else {
		b = binary.LittleEndian.AppendUint32(b, size)
	}
	return append(b, header...)
}

func numpyShape(descr, shape string) []byte {
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	return numpyHeader(1, uint32(len(h)), h)
}

// zeros45MB is a bzip2 file of 45 million digits 0 (Python: bz2.compress).
const zeros45MB = "425a683931415926535983d9c64d0158ab0820c00010000008200030cc0529a65248526c5492149e2ee48a70a12107b38c9a"

// smallBzip2 is "a,b,y\n1,2,u\n3,4,v\n".
const smallBzip2 = "425a68393141592653595290bc36000006d980001000043c00300003202000221a01908069a68455e9e28a00066f1772453850905290bc36"

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

var hostileFiles = []hostile{
	{"index.svm", text("1 1048576:1\n", 1), "1048576 columns, the limit is 65536"},
	{"index+.svm", text("1 1:1\n", 5, "1 99999999999999999999:1\n", 1), "columns, the limit is 1048576"},
	{"sparse.svm.gz", packed(text("1 65536:1\n0 1:1\n", 100)), ""},
	{"table.svm.gz", packed(text("1 65536:1\n0 1:1\n", 10000)), "bytes as a table"},
	{"repeated.svm", text("1 ", 1, "7:1 ", 1<<20-1), "rise"},
	{"comments.svm.gz", packed(text("1 1:1\n", 1, "# \n", 1<<20)), "one class"},
	{"nul.svm", text("1 1:1\n", 1, "\x00", 1<<20), "not text"},
	{"long.svm.gz", packed(text("1 1:1\n1 1:", 1, "0", 8<<20)), "bytes in a line"},
	{"commas.csv.gz", packed(text(",", 8<<20)), "bytes in a line"},
	{"commas.csv", text(",", 4<<20-2, "\n", 1), "columns, the limit is"},
	{"over.csv", text("a,", 1<<16+1, "y\n", 1, "1,", 1<<16+1, "a\n", 1), "line 1: has 65538 columns, the limit is 65536 "},
	{"just.csv", text("a,", 1<<16, "y\n", 1, "1,", 1<<16, "a\n", 1), "line 1: has 65537 columns, the limit is 65536 "},
	{"later.csv.gz", packed(text("a,b,y\n1,2,3\n", 1, ",", 4<<20-2, "\n", 1)), "fields where the header has 3"},
	{"header.csv.gz", packed(text("a,", 8<<20)), "bytes in a line"},
	{"names.csv", text(strings.Repeat("n", 60)+",", 1<<16-1, "y\n", 1, "1,", 1<<16-1, "a\n", 1, "1,", 1<<16-1, "b\n", 1), ""},
	{"line.csv", text("a", 8<<20), "bytes in a line"},
	{"quote.csv", text("a,b,y\n1,2,u\n", 1, "\"3,4,v\n", 1, "5,6,u\n", 1<<20), "not closed within the length"},
	{"quote.csv.gz", packed(text("a,b,y\n1,2,u\n", 1, "\"3,4,v\n", 1, "\n", 6<<20)), "not closed within the length"},
	{"quotes.csv", text("a,y\n", 1, "\"\n", 4<<20), "row 1"},
	{"doubled.csv", text("a,y\n\"", 1, "\"\"", 10<<20), "bytes in a line"},
	{"firstquote.csv.gz", packed(text("\"a,b\n", 1, "1,2\n", 4<<20)), "quote that is not closed"},
	{"wide.csv.gz", packed(text("0,", 1<<16-1, "0\n", 1, strings.Repeat("0,", 1<<16-1)+"1\n", 150)), ""},
	{"digits.csv", text("a,y\n", 1, "1", 4<<20-8, ",2\n", 1), "finite"},
	{"blank.csv.gz", packed(text("\n", 4<<20)), "empty"},
	{"spaces.csv.gz", packed(text(" ", 8<<20)), "bytes in a line"},
	{"nul.csv.gz", packed(text("\x00", 8<<20)), "neither text"},
	{"nul2.csv.gz", packed(text("a,y\n1,2\n", 1, "\x00", 8<<20)), "bytes in a line"},
	{"label.csv.gz", packed(text("a,y\n1,", 1, "u", 1<<20, "\n", 1)), "bytes: neither a class"},
	{"labels.csv.gz", packed(func(w io.Writer) {
		fmt.Fprintln(w, "a,y")
		long := strings.Repeat("u", 1000)
		for i := range 5000 {
			fmt.Fprintf(w, "1,%s%d\n", long, i)
		}
	}), "more than 4096 different values"},
	{"nested.csv.gz", packed(packed(text("0,1\n", 1<<20))), "compressed twice"},
	{"cut.csv.gz", raw(gzipped([]byte(strings.Repeat("1,2\n", 1<<16)))[:300]), "truncated"},
	{"cut.csv.bz2", raw(unhex(smallBzip2)[:50]), "truncated"},
	{"empty.csv", text(), "empty"},
	{"shape.npy", raw(numpyShape("<f8", "(1, 99999999999)")), "99999999999 columns"},
	{"shape2.npy", raw(numpyShape("<f8", "(1, 9223372036854775807, 9223372036854775807)")), "columns, the limit"},
	{"rows.npy", raw(numpyShape("<f8", "(9223372036854775807, 65536)")), "ends early"},
	{"overflow.npy", raw(numpyShape("<f8", "(2, 65536, 281474976710656)")), "columns, the limit"},
	{"headlen.npy", raw(numpyHeader(2, 1<<32-1, "{}")), "header of 4294967295 bytes"},
	{"bytes.npy.gz", packed(func(w io.Writer) { w.Write(numpyShape("|u1", "(150, 65536)")); repeat(w, "\x00", 150<<16) }), "one class"},
	{"shape.idx", raw([]byte{0, 0, 8, 3, 0, 0, 0, 9, 255, 255, 255, 255, 255, 255, 255, 255}), "columns, the limit is"},
	{"shape2.idx", raw([]byte{0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255}), "4294967295 columns"},
	{"rows.idx", raw([]byte{0, 0, 14, 2, 255, 255, 255, 255, 0, 1, 0, 0}), "ends early"},
	{"damaged.csv.bz2", raw(append(unhex(smallBzip2)[:30], make([]byte, 30)...)), "damaged"},
	{"wide.bz2", raw(unhex(zeros45MB)), "bytes in a line"},
	{"json", text("[", 1<<20), "JSON"},
	{"utf16.csv", raw([]byte("1\x00,\x002\x00\n\x00" + strings.Repeat("1\x00", 1<<20))), "UTF-16"},
}

// readHostile opens a file, looks through it and streams it, or loads it as a
// table if its name says so.
func readHostile(ctx context.Context, path string) error {
	var o Options
	if strings.HasSuffix(path, ".idx") {
		o.Task = Unlabelled
	}
	f, err := Open(ctx, o, path)
	if err != nil {
		return err
	}
	if strings.HasPrefix(filepath.Base(path), "table") {
		_, err := f.Table(ctx)
		return err
	}
	s, err := f.Scan(ctx, nil)
	if err != nil {
		return err
	}
	for _, err := range f.Source(s.Coding, s.Rows).Batches(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

const hostileVariable = "RFF_HOSTILE_FILE"

// hostileBytes is the most memory that reading a hostile file may take.
const hostileBytes = 100_000_000

// TestHostileChild reads one file in a process of its own.
func TestHostileChild(t *testing.T) {
	path := os.Getenv(hostileVariable)
	if path == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	begin := time.Now()
	err := readHostile(ctx, path)
	fmt.Printf("\nread\t%d\t%v\t%v\n", time.Since(begin).Milliseconds(), peakBytes(t), err)
}

// peakBytes returns the most memory that this process ever had, or 0 where that
// is not known.
func peakBytes(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	return 0
}

// Every hostile file is read or refused within 100 MB and some seconds, and the
// refusal is one line that says what is wrong.
func TestHostileFiles(t *testing.T) {
	if os.Getenv(hostileVariable) != "" {
		return
	}
	dir := t.TempDir()
	files := hostileFiles
	if runtime.GOOS == "linux" {
		files = append(files[:len(files):len(files)], hostile{"/dev/zero", nil, "neither text"}, hostile{"/dev/null", nil, "ended before any data"}, hostile{dir, nil, "folder"})
	}
	for _, h := range files {
		path := h.name
		if h.make != nil {
			path = filepath.Join(dir, h.name)
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := bufio.NewWriter(f)
			h.make(w)
			if err := errors.Join(w.Flush(), f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(os.Args[0], "-test.run=^TestHostileChild$")
		// More processors, or a GOGC of its own, let more garbage pile up beside what is needed, and so
		// does a busy machine, on which a collection that runs beside the reading ends late. One that
		// stops it has the heap at twice what was needed, whatever else runs.
		c.Env = append(os.Environ(), hostileVariable+"="+path, "GOMAXPROCS=2", "GOGC=100", "GODEBUG=gcstoptheworld=1")
		out, err := c.Output()
		_, line, _ := strings.Cut(string(out), "\nread\t")
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if err != nil || len(fields) < 3 {
			t.Errorf("%s: %v\n%s", h.name, err, out)
			continue
		}
		ms, _ := strconv.Atoi(fields[0])
		peak, _ := strconv.ParseInt(fields[1], 10, 64)
		message, _, _ := strings.Cut(fields[2], "\n")
		if testing.Verbose() {
			t.Logf("%-20s %6.1f MB %6d ms  %s", h.name, float64(peak)/1e6, ms, strings.ReplaceAll(message, dir+"/", ""))
		}
		if peak > hostileBytes && !require.Race {
			t.Errorf("%s: %d bytes of memory", h.name, peak)
		}
		if ms > 20000 {
			t.Errorf("%s: %d ms", h.name, ms)
		}
		if h.want == "" && message != "<nil>" || !strings.Contains(message, h.want) {
			t.Errorf("%s: %q is not in %q", h.name, h.want, message)
		}
		if h.make != nil {
			os.Remove(path)
		}
	}
}

// endless yields its text again and again, as a pipe or a device may.
type endless struct {
	text []byte
	at   int
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], e.text[e.at:])
		e.at = (e.at + k) % len(e.text)
		n += k
	}
	e.read += int64(n)
	return n, nil
}

// Every loop ends with its context: streams without end are read until then.
func TestCancelStreams(t *testing.T) {
	for name, s := range map[string]struct {
		head, body string
		format     string
	}{
		"rows":         {"a,y\n", "1,2\n", "csv"},
		"blank":        {"a,y\n1,2\n", "\n", "csv"},
		"blank first":  {"\n", "\n", "csv"},
		"sparse":       {"", "1 1:2\n", "libsvm"},
		"comments":     {"1 1:2\n", "# nothing\n", "libsvm"},
		"blank sparse": {"1 1:2\n", " \n", "libsvm"},
		"array":        {string(numpyShape("|u1", "(9223372036854775807, 2)")), "\x01\x02", "npy"},
		"images":       {"\x00\x00\x08\x02\xff\xff\xff\xff\x00\x00\x00\x02", "\x01\x02", "idx"},
	} {
		for _, pass := range []string{"scan", "table", "source"} {
			if pass == "table" && (name == "rows" || name == "sparse" || name == "array" || name == "images") {
				continue // fills the memory, as it was asked to
			}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
			e := &endless{text: []byte(s.body)}
			err := func() error {
				o := Options{Format: s.format, Width: 2}
				if s.format != "libsvm" && s.format != "csv" {
					o.Task = Unlabelled
				}
				f, err := OpenReader(ctx, o, "stream", io.MultiReader(strings.NewReader(s.head), e))
				if err != nil {
					return err
				}
				switch pass {
				case "scan":
					_, err = f.Scan(ctx, nil)
				case "table":
					_, err = f.Table(ctx)
				default:
					for _, e := range f.Source(NewCoding(nil), 0).Batches(ctx) {
						err = e
					}
				}
				return err
			}()
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %s: %v", name, pass, err)
			}
		}
	}
}

// A reader that gives nothing does not keep Open or a pass from ending.
func TestCancelSilence(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := OpenReader(ctx, Options{}, "silent", r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open: %v", err)
	}
	r, w = io.Pipe()
	defer w.Close()
	go w.Write(append([]byte("a,y\n1,2\n"), bytes.Repeat([]byte("3,4\n"), 2000)...))
	f, err := OpenReader(context.Background(), Options{}, "silent", r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	rows := 0
	for _, e := range f.Rows(ctx) {
		if err = e; e == nil {
			rows++
		}
		if rows == 1 { // on a busy machine the first row may be long in coming
			defer time.AfterFunc(20*time.Millisecond, func() { stop(context.DeadlineExceeded) }).Stop()
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) || rows == 0 {
		t.Errorf("%d rows, then %v", rows, err)
	}
}

// endlessFS has one file: a gigabyte of the same line after its head.
type endlessFS struct{ head, body string }

func (e endlessFS) Open(string) (fs.File, error) {
	body := &endless{text: []byte(strings.Repeat(e.body, 1<<10))}
	return &endlessFile{Reader: io.MultiReader(strings.NewReader(e.head), io.LimitReader(body, 1<<30))}, nil
}

type endlessFile struct {
	io.Reader
	fs.File // nil
}

func (f *endlessFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }
func (f *endlessFile) Stat() (fs.FileInfo, error) { return nil, errors.New("none") }
func (f *endlessFile) Close() error               { return nil }

// Long stretches of a file without a row end with their context as well, when
// it is opened and when it is read.
func TestCancelFiles(t *testing.T) {
	for name, e := range map[string]endlessFS{
		"blank first": {"\n", "\n"},
		"blank":       {"a,y\n1,2\n", "\n"},
		"sparse":      {"1 1:2\n", "# nothing\n"},
		"widths":      {"1 1:2\n", "1 1:2\n"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		f, err := Open(ctx, Options{FS: e}, "file")
		if err == nil {
			_, err = f.Scan(ctx, nil)
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		var read *ReadError
		if errors.As(err, &read) {
			t.Errorf("%s: the context's error is one of reading: %v", name, err)
		}
	}
}

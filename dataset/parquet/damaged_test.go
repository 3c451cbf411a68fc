package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rffgo/rff/internal/columnar"
)

// allocated returns the bytes that f takes, of which not all are held at once. It does not stop
// the world, as runtime.ReadMemStats does, which takes longer than to read a small file.
func allocated(f func()) uint64 {
	total := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before := total()
	f()
	return total() - before
}

// What Go says when a program is wrong is no word about a file.
var panicText = regexp.MustCompile(`runtime error|out of range|nil pointer|invalid memory|makeslice|goroutine|interface conversion`)

// Files with changed bytes are read or refused in words about the file, and take no
// memory for what they only announce.
func TestChangedBytes(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	// Collections after every few megabytes, of files that all take some, are most of the time
	// otherwise. What is counted is what is allocated, collected or not.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	random := rand.New(rand.NewPCG(1, 2))
	changes := 400
	if testing.Short() {
		changes = 100
	}
	files, refused := 0, 0
	for _, name := range names {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := columnar.Of(whole); !ok {
			continue // the generators
		}
		files++
		tail := min(len(whole), 6000) // where metadata of files are
		for change := range changes {
			data := bytes.Clone(whole)
			at := random.IntN(len(data))
			if change%4 < 2 {
				at = len(data) - 1 - random.IntN(tail)
			}
			switch change % 5 {
			case 0, 1: // a bit
				data[at] ^= 1 << random.IntN(8)
			case 2: // a number that is very large
				copy(data[at:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff"[:1+random.IntN(9)])
			case 3: // a length of some hundred megabytes
				copy(data[at:], binary.LittleEndian.AppendUint32(nil, 1<<29+random.Uint32N(1<<20)))
			case 4: // what stands elsewhere
				copy(data[at:], data[random.IntN(len(data)):][:1])
			}
			memory := allocated(func() { _, err = readAll(data, nil) })
			if memory > 256<<20 {
				t.Errorf("%s, change %d: takes %d MiB (%v)", name, change, memory>>20, err)
			}
			if err == nil {
				continue
			}
			refused++
			if panicText.MatchString(err.Error()) || len(err.Error()) > 400 {
				t.Errorf("%s, change %d: %v", name, change, err)
			}
		}
		for cut := range 50 {
			data := whole[:len(whole)*cut/50]
			if len(data) < 8 {
				continue
			}
			if _, err := readAll(data, nil); err == nil && !strings.HasSuffix(name, ".arrows") { // a stream may end between messages
				t.Errorf("%s, cut at %d: no error", name, len(data))
			}
		}
	}
	if files < 30 || refused < files*changes/8 {
		t.Errorf("of %d files with %d changes each only %d are refused", files, changes, refused)
	}
}

// repeated is a file of some columns of doubles that all stand in the same page: n
// zeros, compressed with Zstandard. Neither the file nor its making takes much.
func repeated(t *testing.T, columns, n int) []byte {
	t.Helper()
	return repeatedIn(t, columns, n, 1, n)
}

// repeatedIn has so many row groups of n rows, whose columns are said to have so many values.
func repeatedIn(t *testing.T, columns, n, groups, values int) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(make([]byte, 8*n), nil)
	out := []byte("PAR1")
	var h compact
	h.integer(1, pageData)
	h.integer(2, int64(8*n))
	h.integer(3, int64(len(packed)))
	h.integer(4, int64(int32(crc32.ChecksumIEEE(packed))))
	h.begin(5)
	h.integer(1, int64(n))
	h.integer(2, encodingPlain)
	h.integer(3, encodingRLE)
	h.integer(4, encodingRLE)
	h.end()
	h.end()
	out = append(append(out, h.b...), packed...)
	var f compact
	f.integer(1, 1)
	f.listOf(2, 1+columns, thriftStruct)
	f.item()
	f.binary(4, "schema")
	f.integer(5, int64(columns))
	f.end()
	for i := range columns {
		f.item()
		f.integer(1, int64(doubles))
		f.integer(3, 0)
		f.binary(4, fmt.Sprint("c", i))
		f.end()
	}
	f.long(3, int64(n*groups))
	f.listOf(4, groups, thriftStruct)
	for range groups {
		f.item()
		f.listOf(1, columns, thriftStruct)
		for range columns {
			f.item()
			f.begin(3)
			f.integer(1, int64(doubles))
			f.integer(4, 6) // Zstandard
			f.long(5, int64(values))
			f.long(6, int64(8*n))
			f.long(7, int64(len(h.b)+len(packed)))
			f.long(9, 4)
			f.end()
			f.end()
		}
		f.long(2, int64(8*n*columns))
		f.long(3, int64(n))
		f.end()
	}
	f.end()
	out = append(out, f.b...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(f.b))), "PAR1"...)
}

// The bound on memory is on the sum over the columns. Pages that do not fit into it
// together are read one after the other, if that is not too often.
func TestMemoryOfPages(t *testing.T) {
	for _, c := range []struct {
		columns, rows int
		ok            bool
	}{
		{2, 100_000, true},
		{6, 3_000_000, true},    // 144 MB
		{24, 10_000_000, false}, // 1.9 GB
		{1, 40_000_000, false},  // 320 MB in one page
	} {
		data := repeated(t, c.columns, c.rows)
		rows, zeros := 0, 0
		var err error
		memory := allocated(func() {
			rows, err = readAll(data, func(_ columnar.Column, _ int, v *columnar.Values, i int) {
				if math.Float64bits(v.Numbers[i]) == 0 {
					zeros++
				}
			})
		})
		if memory > 256<<20 {
			t.Errorf("%d columns of %d rows: %d kB take %d MiB", c.columns, c.rows, len(data)>>10, memory>>20)
		}
		switch {
		case c.ok && (err != nil || rows != c.rows || zeros != c.rows*c.columns):
			t.Errorf("%d columns of %d rows: %d, %v", c.columns, c.rows, rows, err)
		case !c.ok && (err == nil || !strings.Contains(err.Error(), "smaller pages")):
			t.Errorf("%d columns of %d rows: %v", c.columns, c.rows, err)
		}
	}
}

// A page whose bytes have another checksum is refused, and so is a column with more values
// than its row group has rows.
func TestRefusedPages(t *testing.T) {
	none := func(columnar.Column, int, *columnar.Values, int) {}
	data := repeated(t, 1, 1000)
	if rows, err := readAll(data, none); rows != 1000 || err != nil {
		t.Fatal(rows, err)
	}
	at := bytes.Index(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) // where the packed bytes begin
	data[at+6] ^= 1
	if _, err := readAll(data, none); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("changed bytes: %v", err)
	}
	if _, err := readAll(repeatedIn(t, 1, 1000, 1, 1001), none); err == nil || !strings.Contains(err.Error(), "1001 values for 1000 rows") {
		t.Errorf("more values: %v", err)
	}
}

// Pages that are released and unpacked again give the same values, of every type and
// encoding.
func TestReleasedPages(t *testing.T) {
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.Contains(name, "-brotli") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := readFooter(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		p := &parquetFile{footer: f, at: bytes.NewReader(data), end: int64(len(data)) - 8}
		for _, g := range f.groups {
			p.rows = append(p.rows, g.rows)
		}
		var leaves []leaf
		for i, c := range f.columns {
			if c.Kind != columnar.Refused {
				leaves = append(leaves, f.leaves[i])
			}
		}
		for g := range f.groups {
			whole, err := p.plan(g, leaves)
			if err != nil {
				t.Fatal(name, err)
			}
			parts, err := p.plan(g, leaves)
			if err != nil {
				t.Fatal(name, err)
			}
			for i, c := range whole.columns {
				var want, part columnar.Values
				rows := int(whole.rows)
				if _, err := c.read(rows, &want); err != nil {
					t.Fatal(name, c.name, err)
				}
				for at := 0; at < rows; at += 5 {
					n := min(5, rows-at)
					if _, err := parts.columns[i].read(n, &part); err != nil {
						t.Fatal(name, c.name, err)
					}
					parts.columns[i].release()
					null := part.Null
					if null == nil {
						null = make([]bool, n)
					}
					same := want.Null == nil || slices.Equal(null, want.Null[at:at+n])
					if want.Text != nil {
						same = same && slices.Equal(part.Text, want.Text[at:at+n])
					} else {
						same = same && slices.Equal(part.Numbers, want.Numbers[at:at+n])
					}
					if !same {
						t.Fatalf("%s, column %s, row %d: %+v", name, c.name, at, part)
					}
				}
			}
		}
	}
}

// The bound is on the row groups that are read at a time, too, on as many processors as there
// are: each of these takes 88 MB.
func TestMemoryOfRowGroups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * atOnce))
	const columns, n, groups = 11, 1_000_000, 4
	data := repeatedIn(t, columns, n, groups, n)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	values, memory := 0, uint64(0)
	rows, err := readAll(data, func(columnar.Column, int, *columnar.Values, int) {
		if values++; values%(n*columns/2) == 0 { // others have come as far as they can
			runtime.GC()
			runtime.ReadMemStats(&now)
			memory = max(memory, now.HeapAlloc-before.HeapAlloc)
		}
	})
	if err != nil || rows != n*groups || memory > 192<<20 {
		t.Errorf("%d rows, %d MiB, %v", rows, memory>>20, err)
	}
}

package reproduce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rffgo/rff/internal/atomicfile"
)

// Record is the file of the cells that are done, one JSON object a line. One process
// at a time may have it open.
type Record struct {
	path string
	file *os.File
	lock *atomicfile.Lock
	done map[Key]Cell
	torn int // bytes of a last line that was cut off
}

// OpenRecord opens or makes the file at path. A last line that a killed process left
// half-written is cut off, which Torn tells; anything else that is no cell is a
// *LineError.
func OpenRecord(path string) (*Record, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	lock, err := atomicfile.Acquire(path)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("%s: %w: another run writes there; wait for it, or choose another folder", path, err)
	}
	r := &Record{path: path, lock: lock, done: map[Key]Cell{}}
	if r.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
		err = r.read()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// read takes the cells from the file.
func (r *Record) read() error {
	text, err := io.ReadAll(r.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for i, line := range bytes.SplitAfter(text[:whole], []byte("\n")) {
		if len(line) == 0 { // behind the last line
			break
		}
		var c Cell
		if err := json.Unmarshal(line, &c); err != nil || c.Experiment == "" || c.Values == nil {
			return &LineError{r.path, i + 1}
		}
		if _, twice := r.done[c.Key]; !twice {
			r.done[c.Key] = c
		}
	}
	if r.torn = len(text) - whole; r.torn == 0 {
		return nil
	}
	return r.file.Truncate(int64(whole))
}

// Torn returns the number of bytes of a half-written last line that were cut off.
func (r *Record) Torn() int { return r.torn }

// Find returns the finished cell of a key.
func (r *Record) Find(k Key) (Cell, bool) {
	c, ok := r.done[k]
	return c, ok
}

// Len returns the number of finished cells, of whatever experiment.
func (r *Record) Len() int { return len(r.done) }

// Add appends a cell, in one write, and sees that it is on the disk.
func (r *Record) Add(c Cell) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	if err := r.file.Sync(); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	r.done[c.Key] = c
	return nil
}

// Close ends the use of the file.
func (r *Record) Close() error {
	defer r.lock.Release()
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// LineError says that a line of a record is no cell.
type LineError struct {
	Path string
	Line int
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: this line is no finished cell: mend or remove it, or choose another folder", e.Path, e.Line)
}

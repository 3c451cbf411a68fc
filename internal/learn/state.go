package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/train"
)

// Why a state is of no use.
var (
	ErrNoState    = errors.New("it is not the state of a training, or it is damaged")
	ErrOtherState = errors.New("it belongs to a training on other data, or with other settings")
)

// A state is, little-endian,
//
//	magic     8 bytes
//	checksum  32 bytes, SHA-256 of all that follows
//	key       32 bytes, SHA-256 of what decides the training
//	halvings  8 bytes: of the rates
//	epochs    8 bytes: that are done at these rates
//	steps     8 bytes: of Adam
//	W, A and their moments: float32, as train.State has them
//	judged    8 bytes: number of checkpoints, and for each its epoch and halvings, 8
//	          bytes each, and F×d frequencies in float64
const stateMagic = "rfftrn\x00\x02"

const stateHead = len(stateMagic) + sha256.Size

// mostChecked is the largest number of checkpoints: three at the last rate, and one at each
// rate before.
const mostChecked = 3 + mostHalved

// trained is a checkpoint before it is fitted.
type trained struct {
	epoch, halvings int
	w               blas.General[float64]
	fit             *Fit // nil: not fitted yet
}

// encode writes the state after an epoch.
func (d *descent) encode(key [sha256.Size]byte, epoch int, reached []trained) []byte {
	dim, f, targets := d.training.Dims()
	s := train.NewState[float32](dim, f, targets)
	d.training.Save(s)
	b := append(append(make([]byte, 0, stateHead), stateMagic...), make([]byte, sha256.Size)...)
	b = append(b, key[:]...)
	b = appended(b, []int64{int64(d.halvings), int64(epoch), int64(s.Steps)})
	for _, m := range parts(s) {
		b = appendRows(b, m)
	}
	b = appended(b, int64(len(reached)))
	for _, r := range reached {
		b = appended(b, []int64{int64(r.epoch), int64(r.halvings)})
		b = appendRows(b, r.w)
	}
	sum := sha256.Sum256(b[stateHead:])
	copy(b[len(stateMagic):], sum[:])
	return b
}

func parts(s *train.State[float32]) []blas.General[float32] {
	return []blas.General[float32]{s.W, s.W1, s.W2, s.Coef, s.Coef1, s.Coef2}
}

// appended appends numbers, or one.
func appended(b []byte, numbers any) []byte {
	b, err := binary.Append(b, binary.LittleEndian, numbers)
	if err != nil {
		panic(err)
	}
	return b
}

func appendRows[T blas.Float](b []byte, m blas.General[T]) []byte {
	for i := range m.Rows {
		b = appended(b, m.Row(i))
	}
	return b
}

// decode goes on from a state. Its sizes are checked before anything is made.
func (d *descent) decode(state []byte, key [sha256.Size]byte) (epoch int, reached []trained, err error) {
	if len(state) < stateHead+sha256.Size || string(state[:len(stateMagic)]) != stateMagic {
		return 0, nil, ErrNoState
	}
	if sum := sha256.Sum256(state[stateHead:]); !bytes.Equal(sum[:], state[len(stateMagic):stateHead]) {
		return 0, nil, ErrNoState
	}
	b := state[stateHead:]
	if !bytes.Equal(b[:sha256.Size], key[:]) {
		return 0, nil, ErrOtherState
	}
	b = b[sha256.Size:]
	dim, f, targets := d.training.Dims()
	numbers := 3 * (f*dim + 2*f*targets)
	if len(b) < 8+8+8+4*numbers+8 {
		return 0, nil, ErrNoState
	}
	take := func(numbers any) {
		n, err := binary.Decode(b, binary.LittleEndian, numbers)
		if err != nil {
			panic(err)
		}
		b = b[n:]
	}
	next := func() int {
		var v int64
		take(&v)
		return int(v)
	}
	halvings := next()
	epoch = next()
	s := train.NewState[float32](dim, f, targets)
	s.Steps = next()
	for _, m := range parts(s) {
		take(m.Data)
	}
	count := next()
	if halvings < 0 || halvings > mostHalved || epoch < 0 || s.Steps != epoch*d.steps || count < 0 || count > mostChecked || len(b) != count*8*(2+f*dim) {
		return 0, nil, ErrNoState
	}
	for range count {
		r := trained{epoch: next(), halvings: next(), w: blas.NewGeneral[float64](f, dim)}
		take(r.w.Data)
		reached = append(reached, r)
	}
	d.training.Restore(s)
	d.done, d.halvings = s.Steps, halvings
	return epoch, reached, nil
}

// key is a digest of everything that decides the result of the training.
func (d *descent) key(start *Fit, epochs int) [sha256.Size]byte {
	h := sha256.New()
	dim, f, targets := d.training.Dims()
	h.Write(appended(nil, []uint64{uint64(dim), uint64(f), uint64(targets), uint64(len(d.order)), uint64(epochs), d.seed}))
	h.Write(appended(nil, []float64{d.ridge, d.rateW, d.rateA}))
	h.Write(appendRows(nil, start.w))
	h.Write(appended(nil, d.weight))
	row := make([]byte, 0, 4*max(dim, targets))
	for i := range len(d.order) {
		for _, m := range []blas.General[float32]{d.x, d.y} {
			h.Write(appended(row, m.Row(i)))
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

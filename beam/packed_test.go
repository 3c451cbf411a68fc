package rffbeam

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// A plan of many features is small on its way, for it is in the description of a job
// several times; and it is the same plan at the other end.
func TestPackedPlan(t *testing.T) {
	m, err := rff.New(rff.NewGaussian(1), 4, 1024, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := bytesOf(krr.NewGram(m, 1, krr.GramSettings{}))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := pack(plan)
	if err != nil {
		t.Fatal(err)
	}
	// 512 frequencies of 4 numbers are 16 KiB; of the zeros about a 200th is left.
	if len(plan) < 4<<20 || len(packed) > 64<<10 {
		t.Errorf("a plan of %d bytes is packed into %d", len(plan), len(packed))
	}
	if again, err := pack(packed); err != nil || !bytes.Equal(again, packed) {
		t.Errorf("what is packed is packed again: %v", err)
	}
	if back, err := unpack(packed); err != nil || !bytes.Equal(back, plan) {
		t.Errorf("unpacked it is another: %v", err)
	}
	for _, data := range [][]byte{plan, packed} {
		if g, err := planOf(data); err != nil || g.Map().Fingerprint() != m.Fingerprint() {
			t.Errorf("the plan has another map: %v", err)
		}
	}
	for _, bad := range [][]byte{nil, packed[:len(packed)/2], append([]byte{0x1f, 0x8b}, plan...)} {
		if _, err := planOf(bad); err == nil {
			t.Errorf("a plan of %d bytes that is none was read", len(bad))
		}
	}
	p := Planned{Plan: plan, Rows: 7}
	wire, err := encodePlanned(p)
	if err != nil || len(wire) > 64<<10 {
		t.Errorf("a Planned has %d bytes on its way, %v", len(wire), err)
	}
	if q, err := decodePlanned(wire); err != nil || !bytes.Equal(q.Plan, plan) || q.Rows != 7 {
		t.Errorf("a Planned comes as another: %v", err)
	}
}

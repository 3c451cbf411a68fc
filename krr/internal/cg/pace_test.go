package cg

import "testing"

// What is left halves with every evaluation, from a little less than 2¹⁰ times what may be left: after the fourth,
// six more are to come.
func TestPace(t *testing.T) {
	for _, c := range []struct{ least, worth, slow int }{{4, 6, 0}, {4, 5, 4}, {5, 5, 0}, {1, 8, 1}, {1, 9, 0}} {
		p, left := pace{least: c.least, worth: c.worth}, 0x1.fp9
		for n := range 10 {
			if slow := p.slow(left); slow != (n == c.slow && n > 0) {
				t.Errorf("%+v: slow %v after %d evaluations", c, slow, n)
				break
			} else if slow {
				break
			}
			left /= 2
		}
	}
	// Nothing is gained: slow after every fourth evaluation, counted anew each time.
	p := pace{least: 4, worth: 100}
	for n := range 20 {
		if slow := p.slow(2); slow != (n%5 == 4) {
			t.Errorf("slow %v after %d evaluations that gain nothing", slow, n)
		}
	}
}

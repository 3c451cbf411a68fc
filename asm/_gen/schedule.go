package main

import "strings"

// The processors we write for look some hundred operations ahead, but their
// schedulers hold only a few dozen that wait for operands. A long epilogue in
// the order of its formulas fills them with waiting chains. So straight-line
// code is recorded and put in the order in which an ideal machine of two
// multiply-add pipes and two pipes for everything else would start it.

// An instruction is one recorded line.
type instruction struct {
	name     string
	operands []any
	to       string   // register or memory written
	from     []string // registers and memory read
	slow     bool     // runs on a multiply-add pipe
	load     bool     // runs on neither kind of pipe
	latency  int

	after   []int // instructions that must come before
	exact   []int // of those, the ones whose result it needs
	height  int   // longest chain of latencies that starts here
	release int   // not before this cycle
	start   int
	done    bool
}

func analyse(name string, operands []any) *instruction {
	i := &instruction{name: name, operands: operands}
	for n, o := range operands {
		s, ok := o.(string)
		if !ok {
			continue
		}
		if n == len(operands)-1 {
			i.to = s // a store's memory too
			if strings.HasPrefix(name, "VFMADD") || strings.HasPrefix(name, "VPTERNLOG") {
				i.from = append(i.from, s)
			}
			continue
		}
		i.from = append(i.from, s)
	}
	switch {
	case strings.HasPrefix(name, "VFMADD"), strings.HasPrefix(name, "VMUL"):
		i.slow, i.latency = true, 4
	case strings.HasPrefix(name, "VMOV"), strings.HasPrefix(name, "VBROADCAST"):
		i.load = true
	case strings.HasPrefix(name, "VADD"), strings.HasPrefix(name, "VSUB"), strings.HasPrefix(name, "VR"):
		i.latency = 3
	default:
		i.latency = 1
	}
	return i
}

// schedule orders code. Instruction i whose inputs include no result of the
// code becomes ready at release(register).
func schedule(code []*instruction, release func(reg string) int) []*instruction {
	writer := map[string]int{}
	readers := map[string][]int{}
	for n, i := range code {
		for _, r := range i.from {
			if w, ok := writer[r]; ok {
				i.after = append(i.after, w)
				i.exact = append(i.exact, w)
			} else {
				i.release = max(i.release, release(r))
			}
			readers[r] = append(readers[r], n)
		}
		if w, ok := writer[i.to]; ok {
			i.after = append(i.after, w)
		}
		for _, r := range readers[i.to] {
			if r != n {
				i.after = append(i.after, r)
			}
		}
		writer[i.to], readers[i.to] = n, nil
	}
	for n := len(code) - 1; n >= 0; n-- {
		code[n].height += code[n].latency
		for _, a := range code[n].after {
			code[a].height = max(code[a].height, code[n].height)
		}
	}
	var order []*instruction
	for cycle := 0; len(order) < len(code); cycle++ {
		slow, quick := 2, 2
		for {
			var best *instruction
			for _, i := range code {
				if i.done || i.release > cycle || (!i.load && (i.slow && slow == 0 || !i.slow && quick == 0)) {
					continue
				}
				ready := true
				for _, a := range i.after {
					ready = ready && code[a].done
				}
				for _, a := range i.exact {
					ready = ready && code[a].start+code[a].latency <= cycle
				}
				if ready && (best == nil || i.height > best.height) {
					best = i
				}
			}
			if best == nil {
				break
			}
			best.done, best.start = true, cycle
			switch {
			case best.load:
			case best.slow:
				slow--
			default:
				quick--
			}
			order = append(order, best)
		}
	}
	return order
}

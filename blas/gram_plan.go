package blas

import "github.com/rffgo/rff/internal/schedule"

// A gramPlan says how row blocks are added to a Gram matrix: in which parts their features are
// made, which groups of panels there are, and which tasks a row block has and what each must
// wait for. It knows sizes, not elements.
type gramPlan struct {
	groups  []panelGroup
	panels  int // in all
	parts   int // of the features of a row block
	chunk   int // rows of a part, with all panels; 0 if a part is a group of each half
	tasks   []gramTask
	readers [][]int // per part: the tasks that read the features that it overwrites
	bufs    int     // row blocks of features in memory
}

// gramTask generates a part of the features, multiplies a range of panels with
// a group, or does one after the other.
type gramTask struct {
	part       int // of the features, or −1
	group      int // the columns of the product, or −1
	first, end int // panels that are its rows, up to the diagonal
	needs      int // parts of the features that the product reads
}

// panelGroup is a run of panels of Z side by side in G.
type panelGroup struct {
	panel, panels int // the first one, and how many
	col, cols     int // their columns in G
}

// panelGroups cuts the panels of f's columns into groups of at most size tiles, as evenly as
// possible. A half (cosines, sines) starts a group, so a partial panel may lie between two
// full ones.
func (f *form[T]) panelGroups(size int) []panelGroup {
	var groups []panelGroup
	cols := f.base
	if f.projected() {
		cols = f.out
	}
	half := cols / f.halves()
	panels, tiles := ceil(half, f.kern.Panel), ceil(half, f.kern.Width)
	across := f.kern.Width / f.kern.Panel
	count := ceil(tiles, size)
	for h := range f.halves() {
		for i := range count {
			q, end := i*tiles/count*across, min((i+1)*tiles/count*across, panels)
			j := q * f.kern.Panel
			groups = append(groups, panelGroup{panel: h*panels + q, panels: end - q,
				col: h*half + j, cols: min(end*f.kern.Panel, half) - j})
		}
	}
	return groups
}

// planGram plans row blocks of that many rows in groups of size tiles. whole says that all rows
// of a panel are made at once.
func planGram[T Float](f *form[T], size, block, workers int, whole bool) *gramPlan {
	p := &gramPlan{groups: f.panelGroups(size)}
	last := p.groups[len(p.groups)-1]
	p.panels = last.panel + last.panels
	p.parts = len(p.groups) / f.halves()
	if f.stacks != nil || f.projected() {
		// Groups of columns cannot be generated on their own.
		p.chunk, p.parts = f.split(block, workers)
		if whole {
			p.chunk, p.parts = block, 1
		}
		for i := range p.parts {
			p.tasks = append(p.tasks, gramTask{part: i, group: -1})
		}
	}
	p.bufs = schedule.Buffers(workers)
	if p.chunk == 0 && p.parts >= partsInPlace*workers {
		p.bufs = 1
	}
	p.order(workers, p.cut(workers, f.halves()))
	p.readers = make([][]int, p.parts)
	for part := range p.readers {
		for i, t := range p.tasks {
			if p.reads(t, part) {
				p.readers[part] = append(p.readers[part], i)
			}
		}
	}
	return p
}

// cut returns the tasks of each group. A task is at most an eighth of a worker's
// share of the row block, so that the last one does not make the others wait.
func (p *gramPlan) cut(workers, halves int) [][]gramTask {
	total := 0
	for _, g := range p.groups {
		total += (g.panel + g.panels) * g.panels
	}
	most := max(1, total/(8*workers))
	if workers == 1 {
		most = total
	}
	all := make([][]gramTask, len(p.groups))
	for i, g := range p.groups {
		rows := g.panel + g.panels
		needs := p.parts
		if p.chunk == 0 {
			needs = min(i+1, p.parts)
		}
		count := ceil(rows*g.panels, most)
		if workers > 1 && i >= len(p.groups)-workers {
			// The last tasks of a row block should not read features that the first tasks
			// of the next one overwrite, in either half.
			count = max(count, 2*halves)
		}
		count = min(rows, count)
		for c := range count {
			all[i] = append(all[i], gramTask{-1, i, c * rows / count, (c + 1) * rows / count, needs})
		}
		if p.chunk == 0 && i < p.parts {
			all[i][0].part = i
		}
	}
	return all
}

// order lists the tasks of the groups. The first tasks of the next groups come before the
// other tasks of a group, because a first task generates features that others wait for.
func (p *gramPlan) order(workers int, all [][]gramTask) {
	for i := range all {
		p.tasks = append(p.tasks, all[i][0])
		if i >= workers-1 {
			p.tasks = append(p.tasks, all[i-workers+1][1:]...)
		}
	}
	for _, tasks := range all[max(0, len(all)-workers+1):] {
		p.tasks = append(p.tasks, tasks[1:]...)
	}
}

// reads reports whether a task reads features that a part overwrites. Tasks that start at
// panel 0 also read the targets, which come with part 0.
func (p *gramPlan) reads(t gramTask, part int) bool {
	if t.group < 0 || p.chunk > 0 {
		return t.group >= 0
	}
	for i := part; i < len(p.groups); i += p.parts { // of every half
		g := p.groups[i]
		if t.group == i || t.first < g.panel+g.panels && g.panel < t.end {
			return true
		}
	}
	return false
}

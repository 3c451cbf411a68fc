package boost

import "github.com/rffgo/rff/internal/trial"

// Shape is what the work of growing trees depends on beside the number of rows.
type Shape struct {
	inputs, targets float64
	dense           float64 // inputs of which all rows are added up; others count by what they take
	cuts            float64 // thresholds of all inputs
	classes         bool
}

// ShapeOf estimates the shape of rows from some of them. How many values an input has, besides those that these show,
// is estimated by how many are in one and in two of them (Chao, "Nonparametric estimation of the number of classes in a
// population", Scandinavian Journal of Statistics, 1984).
func ShapeOf(rows *trial.Rows) Shape {
	s := Shape{inputs: float64(rows.X.Cols), targets: float64(rows.Y.Cols), classes: rows.Labels != nil}
	n := min(rows.X.Rows, 500, max(50, 1<<18/rows.X.Cols)) // of 20,000 inputs 500 rows would take a third of a second
	for j := range rows.X.Cols {
		count, most := map[float64]int{}, 0
		for i := range n {
			v := rows.X.Row(i)[j]
			count[v]++
			most = max(most, count[v])
		}
		in := map[int]float64{} // values by the number of rows that have them
		for _, rows := range count {
			in[rows]++
		}
		s.dense += min(1, (1-float64(most)/float64(n))/few)
		s.cuts += min(mostCuts, float64(len(count)-1)+float64(in[1]*(in[1]-1))/(2*(in[2]+1)))
	}
	return s
}

// Work returns the multiply-adds that take as long as Sample on so many rows of a shape, with that many
// features. Trees are grown once on the rows that are not held out and once on all, unless their number is known or
// those of a part of the rows are kept. For each
// tree of one target, on one worker, a sum for a row and an input takes 1 ns, a threshold in a leaf 0.9, an
// input in a leaf 40, and a row 12. Where nodes have thresholds of their own, a threshold in a leaf takes 0.6
// more, however many targets there are, and a row 2.3 more for each depth. The tangents of a row of classes take 15.
func (s Sampler) Work(rows, features int, of Shape) float64 {
	// Multiply-adds of one worker in a nanosecond, times 1.5: as much longer than estimated growing took on two
	// workers, beside other steps, since some of it is for one of them.
	const each = 45 * 1.5
	depth, words := float64(s.Depth), float64(wordsOf(int(of.targets)))
	nodes := float64(int(1)<<s.Depth - 1)
	one := float64((0.9*words)*nodes*of.cuts) + float64((20+float64(20*words))*of.inputs*nodes)
	row := 9.5 + float64(2.5*of.targets)
	row += float64(float64((0.4+float64(0.6*words))*rowShare) * (1 + float64(0.35*(depth-1))) * of.dense) // a division leaves a third of the rows to add up
	if s.Own {
		one += float64(0.6 * nodes * of.cuts)
		row += float64(2.3 * depth)
	}
	if of.classes {
		row += 7 + float64(8*of.targets)
	}
	all := float64(rows)
	seen := all * (heldOut - 1) / heldOut
	switch {
	case s.Part:
		return each * float64(features) * (one + float64(row*seen))
	case s.Trees > 0:
		return each * float64(s.Trees) * (one + float64(row*all))
	}
	return each * float64(features) * (float64(2*one) + float64(row*(seen+all)))
}

package krr

// AutoStep is one step of a search.
type AutoStep struct {
	Name     string  // "search", "bandwidth", "scalings", "exact", "landmarks", "scales", "trees", "metric", "refined", "joined", "features", "rule", "mean", "trainings"
	Best     string  // the best candidate; "" if none was tried
	Rows     int     // number of rows fitted
	Features int     // of the best
	Error    float64 // of the best: the share of wrong labels, or the RMSE over the standard deviation of the target; +Inf if no candidate is of use
	Why      string  // why the step was not tried or not kept; "" if it was kept
}

package krr

// AutoStep is one step of a search.
type AutoStep struct {
	Name     string  // "search", "bandwidth", "exact", "landmarks", "scales", "metric", "refined", "joined", "features", "rule"
	Best     string  // the best of those tried; "" if none was
	Rows     int     // fitted to
	Features int     // of the best
	Error    float64 // its share of wrong labels; its RMSE over the standard deviation; +Inf if none is of use
	Why      string  // it was not tried or not kept; "": it was kept
}

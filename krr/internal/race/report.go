package race

import (
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
)

// Step is one step of a search.
type Step = hook.Step

// Report says what a search tried and why it ended.
type Report struct {
	Rows        int64 // of the data
	Searched    int   // rows of the sample
	Steps       []Step
	Error       float64 // of the best on held-out rows
	Stopped     string  // why the search ended
	Late        bool    // whether that was the deadline
	LeastLambda float64 // the smallest λ tried
	AtEdge      bool    // whether that was the best λ
	Elapsed     time.Duration
}

// Choice is a way to fit to all rows.
type Choice struct {
	Map         *rff.Map
	Sampler     string // as sampling.ByName knows it; "": that of the settings
	Scaling     rff.Scaling
	ScalingName string
	Lambda      float64   // 0: to be chosen among Lambdas, since no trial had the size of the fit
	Lambdas     []float64 // the grid
	Learned     string    // the sampler that learned the features, or ""
	Exact       bool      // features are kernel sections on all rows
	Rule        string    // of krr.Settings, as chosen; "": squares
	Importance  []float64 // of the inputs, as learned, or nil
	// The fit is the mean of this choice with Weight and of those Beside. Weight is 0 if it is
	// this choice alone.
	Weight    float64
	Beside    []*Choice
	Summary   string
	Estimated time.Duration // of the search and the fit

	race     *Race
	of       *tried
	features int
}

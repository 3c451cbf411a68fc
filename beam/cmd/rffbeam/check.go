package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

const usage = `rffbeam fit|predict|compare|pool FLAGS fits and applies models of rff on Apache Beam.
Flags of Beam, such as --endpoint, are among those below.`

// checkFitting refuses what no fit can be done with, before a job is run for its plan.
func checkFitting() error {
	switch l := *lambda; {
	case given("lambda") && !(l > 0 && !math.IsInf(l, 0)):
		return fmt.Errorf("--lambda %g: must be positive; without the flag it is chosen by cross-validation", l)
	case given("folds") && (*folds < 1 || *folds > 100):
		return fmt.Errorf("--folds %d: must be 2 to 100, or 1 with --lambda", *folds)
	case *folds == 1 && !given("lambda"):
		return fmt.Errorf("--folds 1: one fold leaves no rows to choose lambda with: give 2 to 100, or --lambda as well")
	case given("fanout") && (*fanout < 1 || *fanout > 1<<12):
		return fmt.Errorf("--fanout %d: must be 1 to 4096", *fanout)
	case *features < 1 || *features > math.MaxInt32:
		return fmt.Errorf("--features %d: must be from 1 to %d", *features, math.MaxInt32)
	}
	return nil
}

// checkRunner refuses runners that the program does not have. Workers of another runner
// get this program where it is theirs, too: Beam would build one, for which it needs the
// sources.
func checkRunner() error {
	switch *runner {
	case "prism":
		return nil
	case "universal", "flink":
	default:
		return fmt.Errorf("--runner %q: must be prism, universal or flink", *runner)
	}
	if *runner == "universal" {
		if err := answers(*jobopts.Endpoint); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err == nil && *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" && !jobopts.IsLoopback() {
		*jobopts.WorkerBinary = self
	}
	return nil
}

// answers returns the error that there is no job server. Beam would wait for it, and say
// nothing.
func answers(endpoint string) error {
	if endpoint == "" {
		return errors.New("--runner universal: say where its job server is: --endpoint HOST:PORT")
	}
	if strings.Contains(endpoint, ":/") { // a name for gRPC to resolve
		return nil
	}
	c, err := net.DialTimeout("tcp", endpoint, 10*time.Second)
	if err != nil {
		return fmt.Errorf("--endpoint: no job server answers there: %w", err)
	}
	return c.Close()
}

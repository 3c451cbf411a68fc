//go:build !unix

package scale

import "time"

var begun = time.Now()

// processorTime returns the time since the start, where the processor's is not known.
func processorTime() time.Duration { return time.Since(begun) }

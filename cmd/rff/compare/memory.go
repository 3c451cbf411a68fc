package compare

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// memoryWatch samples the memory that the Go runtime holds from the system, every two
// milliseconds. This estimates the peak without help from the system.
type memoryWatch struct {
	once sync.Once
	quit chan struct{}
	done chan uint64
	peak uint64
}

func watchMemory() *memoryWatch {
	runtime.GC() // frees what the cell before left behind
	w := &memoryWatch{quit: make(chan struct{}), done: make(chan uint64, 1)}
	go func() {
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		var peak uint64
		for {
			metrics.Read(s)
			peak = max(peak, s[0].Value.Uint64()-s[1].Value.Uint64()-s[2].Value.Uint64())
			select {
			case <-tick.C:
			case <-w.quit:
				w.done <- peak
				return
			}
		}
	}()
	return w
}

// stop returns the peak; only the first call measures.
func (w *memoryWatch) stop() uint64 {
	w.once.Do(func() {
		close(w.quit)
		w.peak = <-w.done
	})
	return w.peak
}

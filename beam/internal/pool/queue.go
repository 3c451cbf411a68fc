package pool

import "sync"

// queue holds messages until they are sent: pushing never waits, so that nobody who
// holds a lock does.
type queue[T any] struct {
	mu     sync.Mutex
	more   sync.Cond
	items  []T
	closed bool
}

func newQueue[T any]() *queue[T] {
	q := new(queue[T])
	q.more.L = &q.mu
	return q
}

func (q *queue[T]) push(items ...T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, items...)
	q.more.Signal()
}

func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Broadcast()
}

// send hands the messages on until the queue is closed or one cannot be sent.
func (q *queue[T]) send(send func(T) error) {
	for {
		q.mu.Lock()
		for len(q.items) == 0 && !q.closed {
			q.more.Wait()
		}
		if q.closed {
			q.mu.Unlock()
			return
		}
		items := q.items
		q.items = nil
		q.mu.Unlock()
		for _, m := range items {
			if send(m) != nil {
				return
			}
		}
	}
}

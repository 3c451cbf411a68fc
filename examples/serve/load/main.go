// Command load asks a server of this example from several clients at a time, and prints how long
// answers take:
//
//	go run ./load -url http://localhost:8080/predict -for 20s -clients 8 -rows 1
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

func main() {
	url := flag.String("url", "http://localhost:8080/predict", "`address` to ask")
	long := flag.Duration("for", 10*time.Second, "`time` to go on")
	clients := flag.Int("clients", 8, "`number` of clients, which each wait for their answer")
	rows := flag.Int("rows", 1, "`number` of rows in a request")
	flag.Parse()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = *clients
	end := time.Now().Add(*long)
	var mu sync.Mutex
	var all []time.Duration
	var lost int
	var group sync.WaitGroup
	for c := range *clients {
		group.Add(1)
		go func() {
			defer group.Done()
			r := rand.New(rand.NewPCG(1, uint64(c)))
			var took []time.Duration
			failed := 0
			for time.Now().Before(end) {
				began := time.Now()
				if err := ask(*url, body(r, *rows)); err != nil {
					if failed++; failed == 1 {
						log.Print(err)
					}
				}
				took = append(took, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			all, lost = append(all, took...), lost+failed
		}()
	}
	group.Wait()
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return all[min(int(share*float64(len(all))), len(all)-1)].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d clients, %d rows a request: %d requests, %.0f per second, %d without an answer; median %v, 99 %% %v, 99.9 %% %v, longest %v\n",
		*clients, *rows, len(all), float64(len(all))/long.Seconds(), lost, at(.5), at(.99), at(.999), at(1))
}

// body is a list of rows.
func body(r *rand.Rand, rows int) []byte {
	var b bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&b, "%c{\"district\":%q,\"area\":%.1f,\"rooms\":%d}", ",["[btoi(i == 0)], []string{"Harbour", "Hill", "Market"}[r.IntN(3)], 30+float64(100*r.Float64()), 1+r.IntN(5))
	}
	b.WriteByte(']')
	return b.Bytes()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ask(url string, body []byte) error {
	r, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", r.Status, text)
	}
	return nil
}

// Command serve answers rows of JSON with the predictions of a model, as an example to copy: it
// takes a new model file without losing a request, bounds what a request may be, tells Prometheus
// what it does, and ends after the requests at hand.
//
//	go run . -model rent.safetensors -listen :8080
//	curl -d '[{"district": "Hill", "area": 60, "rooms": 2}]' localhost:8080/predict
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	model := flag.String("model", "model.safetensors", "`file` of the model")
	listen := flag.String("listen", ":8080", "`address` to listen on")
	look := flag.Duration("look", 2*time.Second, "`time` between two looks at whether the file has changed; 0 for SIGHUP alone")
	body := flag.Int64("body", 1<<20, "most `bytes` of a request")
	flag.Parse()
	stop, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	l, err := net.Listen("tcp", *listen)
	if err == nil {
		err = run(stop, l, *model, *look, *body)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run serves on l until stop is done, and then ends the requests at hand.
func run(stop context.Context, l net.Listener, model string, look time.Duration, body int64) error {
	s, err := newServer(model, body)
	if err != nil {
		l.Close()
		return err
	}
	go s.watch(stop, look)
	web := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	log.Printf("serving %s on %s", model, l.Addr())
	select {
	case err := <-failed:
		return err
	case <-stop.Done():
	}
	s.ending.Store(true) // a balancer sees it at /healthz
	finish, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := web.Shutdown(finish); err != nil {
		return fmt.Errorf("requests were still at hand after 10 s: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

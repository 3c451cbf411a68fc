// Package pool runs the workers of a Beam job as processes of this machine.
//
// A runner that is told of an external environment asks a pool for a worker. The
// runner Prism asks for one per job, and a job fails with it. This pool stands in
// between: to the runner it is that one worker, and it deals the bundles out to
// several processes. A bundle counts once it has ended well: until then its output
// is held back, and when its process dies, or it fails, another process begins it
// again with the same input.
package pool

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"os/exec"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// Settings say how a pool works.
type Settings struct {
	Processes int // of each worker that a runner asks for
	// Attempts is how often a bundle is tried. A process that dies is replaced as
	// long as a bundle has attempts left.
	Attempts int
	// Command returns the command of a worker process, which takes these flags of
	// Beam's: --worker, --id, --logging_endpoint, --control_endpoint.
	Command func(flags ...string) *exec.Cmd
	Log     io.Writer // what happened to processes and bundles
	// Began, if there is one, hears of each attempt at a bundle: the number of its
	// process, and a channel that closes when the attempt ends.
	Began func(pid int, ended <-chan struct{})
}

// Pool is a pool at work.
type Pool struct {
	fnexecution_v1.UnimplementedBeamFnExternalWorkerPoolServer
	settings Settings
	listener net.Listener
	server   *grpc.Server

	mu     sync.Mutex
	relays map[string]*relay // nil once the pool is closed
}

// Serve starts a pool that listens at an address.
func Serve(address string, s Settings) (*Pool, error) {
	if s.Processes < 1 || s.Attempts < 1 {
		return nil, fmt.Errorf("%d processes, %d attempts: there must be one at least", s.Processes, s.Attempts)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Pool{settings: s, listener: l, server: grpc.NewServer(), relays: map[string]*relay{}}
	fnexecution_v1.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	go p.server.Serve(l)
	return p, nil
}

// Address returns where the pool listens.
func (p *Pool) Address() string { return p.listener.Addr().String() }

// StartWorker starts the processes of a worker.
func (p *Pool) StartWorker(_ context.Context, r *fnexecution_v1.StartWorkerRequest) (*fnexecution_v1.StartWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := r.GetWorkerId()
	if p.relays == nil || p.relays[id] != nil {
		return &fnexecution_v1.StartWorkerResponse{Error: fmt.Sprintf("worker %q is there already, or the pool is closed", id)}, nil
	}
	relay, err := newRelay(p.settings, id, r.GetControlEndpoint().GetUrl(), r.GetLoggingEndpoint().GetUrl())
	if err != nil {
		return &fnexecution_v1.StartWorkerResponse{Error: err.Error()}, nil
	}
	p.relays[id] = relay
	return &fnexecution_v1.StartWorkerResponse{}, nil
}

// StopWorker ends the processes of a worker.
func (p *Pool) StopWorker(_ context.Context, r *fnexecution_v1.StopWorkerRequest) (*fnexecution_v1.StopWorkerResponse, error) {
	p.mu.Lock()
	relay := p.relays[r.GetWorkerId()]
	delete(p.relays, r.GetWorkerId())
	p.mu.Unlock()
	if relay == nil {
		return &fnexecution_v1.StopWorkerResponse{Error: fmt.Sprintf("there is no worker %q", r.GetWorkerId())}, nil
	}
	relay.close()
	relay.running.Wait()
	return &fnexecution_v1.StopWorkerResponse{}, nil
}

// Close ends all processes, and waits for them.
func (p *Pool) Close() {
	p.mu.Lock()
	relays := p.relays
	p.relays = nil
	p.mu.Unlock()
	for _, r := range relays {
		r.close()
		r.running.Wait()
	}
	p.server.Stop()
}

// serverOf returns a server of messages of any size, as Beam's have.
func serverOf() *grpc.Server { return grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32)) }

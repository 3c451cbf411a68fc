package pool

import (
	"context"
	"fmt"
	"math"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// relay is one worker to the runner, and a runner to its processes.
type relay struct {
	fnexecution_v1.UnimplementedBeamFnControlServer
	fnexecution_v1.UnimplementedBeamFnDataServer
	fnexecution_v1.UnimplementedBeamFnStateServer
	fnexecution_v1.UnimplementedBeamFnLoggingServer

	settings Settings
	endpoint string // where the processes find it
	server   *grpc.Server
	conn     *grpc.ClientConn // to the runner
	stop     context.CancelFunc
	runner   fnexecution_v1.BeamFnControlClient
	ctx      context.Context // carries the worker's name to the runner

	// To the runner.
	answers  *queue[*fnexecution_v1.InstructionResponse]
	elements *queue[*fnexecution_v1.Elements]
	requests *queue[*fnexecution_v1.StateRequest]
	logs     *queue[*fnexecution_v1.LogEntry_List]

	running   sync.WaitGroup // processes
	mu        sync.Mutex
	closed    bool
	started   int // processes so far
	processes map[string]*process
	bundles   map[string]*bundle // by the runner's name of the instruction
	attempts  map[string]*bundle // by the name of the attempt under way
	waiting   []*bundle          // for a process
	asked     map[string]asked   // progress and splits that a process was asked for
	stages    map[string]stage
	states    map[string]state // requests for state under way
	requested int
}

// process is one of the processes that work.
type process struct {
	id        string
	command   *exec.Cmd
	control   *queue[*fnexecution_v1.InstructionRequest]
	data      *queue[*fnexecution_v1.Elements]
	state     *queue[*fnexecution_v1.StateResponse]
	connected bool
	bundles   map[*bundle]bool
}

// bundle is a bundle under way.
type bundle struct {
	id      string
	request *fnexecution_v1.InstructionRequest // nil: its data came first
	input   []*fnexecution_v1.Elements         // kept for another attempt
	keep    int64                              // elements of it; −1: all, −2: unknown
	attempt int
	process *process
	output  []*fnexecution_v1.Elements // of this attempt, until it has ended well
	ended   int                        // sinks whose last element is there
	answer  *fnexecution_v1.InstructionResponse
	over    chan struct{} // closes with the attempt
}

// name is the bundle's name in a process: of this attempt alone.
func (b *bundle) name() string { return fmt.Sprintf("%s~%d", b.id, b.attempt) }

// whole reports whether all of the input is there.
func (b *bundle) whole() bool {
	for _, m := range b.input {
		for _, d := range m.Data {
			if d.IsLast {
				return true
			}
		}
	}
	return false
}

type asked struct {
	of      *process
	bundle  *bundle
	attempt int
	empty   *fnexecution_v1.InstructionResponse // the answer of a process that has died
	request func(name string) *fnexecution_v1.InstructionRequest
	later   int // times to ask again where nothing came of it
}

type state struct {
	of *process
	id string
}

func newRelay(s Settings, id, control, logging string) (*relay, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(control, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		l.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(grpcx.WriteWorkerID(context.Background(), id))
	r := &relay{
		settings: s, endpoint: l.Addr().String(), server: serverOf(), conn: conn, stop: stop, ctx: ctx,
		runner:    fnexecution_v1.NewBeamFnControlClient(conn),
		answers:   newQueue[*fnexecution_v1.InstructionResponse](),
		elements:  newQueue[*fnexecution_v1.Elements](),
		requests:  newQueue[*fnexecution_v1.StateRequest](),
		logs:      newQueue[*fnexecution_v1.LogEntry_List](),
		processes: map[string]*process{}, bundles: map[string]*bundle{}, attempts: map[string]*bundle{},
		asked: map[string]asked{}, stages: map[string]stage{}, states: map[string]state{},
	}
	fnexecution_v1.RegisterBeamFnControlServer(r.server, r)
	fnexecution_v1.RegisterBeamFnDataServer(r.server, r)
	fnexecution_v1.RegisterBeamFnStateServer(r.server, r)
	fnexecution_v1.RegisterBeamFnLoggingServer(r.server, r)
	go r.server.Serve(l)
	if err := r.connect(); err != nil {
		r.close()
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed { // the runner has gone again
		return nil, fmt.Errorf("%s: the connection has ended", control)
	}
	for range s.Processes {
		if err := r.start(); err != nil {
			go r.close()
			return nil, err
		}
	}
	return r, nil
}

// connect opens the streams to the runner.
func (r *relay) connect() error {
	control, err := r.runner.Control(r.ctx)
	if err != nil {
		return err
	}
	data, err := fnexecution_v1.NewBeamFnDataClient(r.conn).Data(r.ctx)
	if err != nil {
		return err
	}
	states, err := fnexecution_v1.NewBeamFnStateClient(r.conn).State(r.ctx)
	if err != nil {
		return err
	}
	logs, err := fnexecution_v1.NewBeamFnLoggingClient(r.conn).Logging(r.ctx)
	if err != nil {
		return err
	}
	go r.answers.send(control.Send)
	go r.elements.send(data.Send)
	go r.requests.send(states.Send)
	go r.logs.send(logs.Send)
	go func() {
		each(control.Recv, r.instruct)
		r.close() // the runner is done, or gone
	}()
	go each(data.Recv, r.input)
	go each(states.Recv, func(m *fnexecution_v1.StateResponse) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s, ok := r.states[m.GetId()]; ok {
			delete(r.states, m.GetId())
			m.Id = s.id
			s.of.state.push(m)
		}
	})
	return nil
}

// each gives what comes in to take, until there is an error.
func each[M any](recv func() (M, error), take func(M)) error {
	for {
		m, err := recv()
		if err != nil {
			return err
		}
		take(m)
	}
}

// close ends the processes and the streams.
func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	for _, p := range r.processes {
		p.command.Process.Kill()
	}
	r.stop()
	r.answers.close()
	r.elements.close()
	r.requests.close()
	r.logs.close()
	go func() {
		r.server.Stop()
		r.conn.Close()
	}()
}

// start starts a process. The caller holds the lock.
func (r *relay) start() error {
	r.started++
	id := fmt.Sprintf("process-%d", r.started)
	c := r.settings.Command("--worker", "--id="+id, "--logging_endpoint="+r.endpoint, "--control_endpoint="+r.endpoint)
	if err := c.Start(); err != nil {
		return err
	}
	p := &process{id: id, command: c, bundles: map[*bundle]bool{},
		control: newQueue[*fnexecution_v1.InstructionRequest](), data: newQueue[*fnexecution_v1.Elements](), state: newQueue[*fnexecution_v1.StateResponse]()}
	r.processes[id] = p
	r.running.Add(1)
	go func() {
		defer r.running.Done()
		err := c.Wait()
		r.ended(p, err)
	}()
	return nil
}

// ended gives the bundles of a process that has ended to others.
func (r *relay) ended(p *process, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.processes, p.id)
	p.control.close()
	p.data.close()
	p.state.close()
	if r.closed {
		return
	}
	fmt.Fprintf(r.settings.Log, "worker process %d ended (%v), with %d bundles under way\n", p.command.Process.Pid, err, len(p.bundles))
	for id, a := range r.asked {
		if a.of == p {
			delete(r.asked, id)
			r.answers.push(a.empty)
		}
	}
	idle := len(p.bundles) == 0 && !p.connected // a process that never came up: another will not either
	if !idle && r.started < r.settings.Processes*(1+r.settings.Attempts) {
		if err := r.start(); err != nil {
			fmt.Fprintf(r.settings.Log, "no new worker process: %v\n", err)
		}
	}
	for b := range p.bundles {
		r.again(b, fmt.Sprintf("its worker process ended (%v)", err))
	}
	if len(r.processes) == 0 {
		for _, b := range r.waiting {
			r.fail(b, "no worker process is left")
		}
		r.waiting = nil
	}
}

// instruct takes an instruction of the runner.
func (r *relay) instruct(m *fnexecution_v1.InstructionRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := m.GetInstructionId()
	empty := &fnexecution_v1.InstructionResponse{InstructionId: id}
	switch {
	case m.GetProcessBundle() != nil:
		b := r.bundle(id)
		b.request = m
		r.assign(b)
	case m.GetProcessBundleProgress() != nil:
		empty.Response = &fnexecution_v1.InstructionResponse_ProcessBundleProgress{ProcessBundleProgress: &fnexecution_v1.ProcessBundleProgressResponse{}}
		b := r.bundles[m.GetProcessBundleProgress().GetInstructionId()]
		r.ask(id, b, empty, 0, func(name string) *fnexecution_v1.InstructionRequest {
			return &fnexecution_v1.InstructionRequest{InstructionId: id, Request: &fnexecution_v1.InstructionRequest_ProcessBundleProgress{
				ProcessBundleProgress: &fnexecution_v1.ProcessBundleProgressRequest{InstructionId: name}}}
		})
	case m.GetProcessBundleSplit() != nil:
		empty.Response = &fnexecution_v1.InstructionResponse_ProcessBundleSplit{ProcessBundleSplit: &fnexecution_v1.ProcessBundleSplitResponse{}}
		b := r.bundles[m.GetProcessBundleSplit().GetInstructionId()]
		if b != nil && r.stageOf(b).skip == nil {
			b = nil // what it would keep could not be told
		}
		later := 0
		for _, d := range m.GetProcessBundleSplit().GetDesiredSplits() {
			if d.GetEstimatedInputElements() > 1 {
				later = splitTimes
			}
		}
		r.ask(id, b, empty, later, func(name string) *fnexecution_v1.InstructionRequest {
			return &fnexecution_v1.InstructionRequest{InstructionId: id, Request: &fnexecution_v1.InstructionRequest_ProcessBundleSplit{
				ProcessBundleSplit: &fnexecution_v1.ProcessBundleSplitRequest{InstructionId: name, DesiredSplits: m.GetProcessBundleSplit().GetDesiredSplits()}}}
		})
	default:
		empty.Error = fmt.Sprintf("a pool of processes does not know the instruction %T", m.GetRequest())
		r.answers.push(empty)
	}
}

func (r *relay) stageOf(b *bundle) stage {
	return r.stages[b.request.GetProcessBundle().GetProcessBundleDescriptorId()]
}

// ask asks the process of a bundle something, or answers for it.
func (r *relay) ask(id string, b *bundle, empty *fnexecution_v1.InstructionResponse, later int, request func(name string) *fnexecution_v1.InstructionRequest) {
	if b == nil || b.process == nil {
		r.answers.push(empty)
		return
	}
	a := asked{b.process, b, b.attempt, empty, request, later}
	if later > 0 && !r.idle() {
		r.splitLater(id, a)
		return
	}
	r.asked[id] = a
	b.process.control.push(request(b.name()))
}

// A bundle is split once a process has nothing to do: each part holds memory of its own.
// A process that has not begun to read cannot split yet, and Prism does not ask twice. So
// the pool holds the question back, asks again, and the runner waits for the answer.
const (
	splitWait  = 50 * time.Millisecond
	splitTimes = 100
)

// idle reports whether a process has nothing to do.
func (r *relay) idle() bool {
	for _, p := range r.processes {
		if p.connected && len(p.bundles) == 0 {
			return true
		}
	}
	return false
}

// splitLater asks a process for a split in a while, once another has nothing to do.
func (r *relay) splitLater(id string, a asked) {
	time.AfterFunc(splitWait, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.closed:
		case a.bundle.process != a.of || a.bundle.attempt != a.attempt: // it has ended
			r.answers.push(a.empty)
		case !r.idle():
			r.splitLater(id, a)
		default:
			a.later--
			r.asked[id] = a
			a.of.control.push(a.request(a.bundle.name()))
		}
	})
}

// bundle returns the bundle of an instruction, which begins if there is none.
func (r *relay) bundle(id string) *bundle {
	b := r.bundles[id]
	if b == nil {
		b = &bundle{id: id, keep: -1}
		r.bundles[id] = b
	}
	return b
}

// input takes elements from the runner.
func (r *relay) input(m *fnexecution_v1.Elements) {
	r.mu.Lock()
	defer r.mu.Unlock()
	each := func(id string, part *fnexecution_v1.Elements) {
		b := r.bundle(id)
		b.input = append(b.input, part)
		if b.process != nil {
			b.process.data.push(named(part, b.name()))
		}
	}
	for _, d := range m.GetData() {
		each(d.GetInstructionId(), &fnexecution_v1.Elements{Data: []*fnexecution_v1.Elements_Data{d}})
	}
	for _, t := range m.GetTimers() {
		each(t.GetInstructionId(), &fnexecution_v1.Elements{Timers: []*fnexecution_v1.Elements_Timers{t}})
	}
}

// named returns elements under another instruction.
func named(m *fnexecution_v1.Elements, id string) *fnexecution_v1.Elements {
	out := new(fnexecution_v1.Elements)
	for _, d := range m.GetData() {
		out.Data = append(out.Data, &fnexecution_v1.Elements_Data{InstructionId: id, TransformId: d.TransformId, Data: d.Data, IsLast: d.IsLast})
	}
	for _, t := range m.GetTimers() {
		out.Timers = append(out.Timers, &fnexecution_v1.Elements_Timers{InstructionId: id, TransformId: t.TransformId, TimerFamilyId: t.TimerFamilyId, Timers: t.Timers, IsLast: t.IsLast})
	}
	return out
}

// assign gives a bundle to the process with the fewest.
func (r *relay) assign(b *bundle) {
	var best *process
	for _, p := range r.processes {
		if p.connected && (best == nil || len(p.bundles) < len(best.bundles) || len(p.bundles) == len(best.bundles) && p.id < best.id) {
			best = p
		}
	}
	if best == nil {
		r.waiting = append(r.waiting, b)
		return
	}
	b.process, best.bundles[b] = best, true
	r.attempts[b.name()] = b
	if b.over = make(chan struct{}); r.settings.Began != nil {
		r.settings.Began(best.command.Process.Pid, b.over)
	}
	best.control.push(&fnexecution_v1.InstructionRequest{InstructionId: b.name(), Request: b.request.GetRequest()})
	for _, m := range b.input {
		best.data.push(named(m, b.name()))
	}
}

// drop takes a bundle from its process.
func (r *relay) drop(b *bundle) {
	if b.process != nil {
		delete(b.process.bundles, b)
		delete(r.attempts, b.name())
		close(b.over)
		b.process = nil
	}
	b.output, b.ended, b.answer = nil, 0, nil
}

// again tries a bundle again, if it has attempts left.
func (r *relay) again(b *bundle, why string) {
	r.drop(b)
	b.attempt++
	if b.attempt >= r.settings.Attempts {
		r.fail(b, fmt.Sprintf("%s; tried %d times", why, b.attempt))
		return
	}
	if b.keep != -1 { // the runner has given the rest to others
		input, ok := cut(b.input, b.keep, r.stageOf(b).skip)
		if !ok || !b.whole() {
			r.fail(b, why+"; it was split where elements cannot be told apart")
			return
		}
		b.input, b.keep = input, -1
	}
	fmt.Fprintf(r.settings.Log, "bundle %s begins again: %.300s\n", b.id, why)
	r.assign(b)
}

func (r *relay) fail(b *bundle, why string) {
	r.drop(b)
	delete(r.bundles, b.id)
	r.answers.push(&fnexecution_v1.InstructionResponse{InstructionId: b.id, Error: why})
}

// answered takes an answer of a process.
func (r *relay) answered(p *process, m *fnexecution_v1.InstructionResponse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := m.GetInstructionId()
	if a, ok := r.asked[id]; ok {
		delete(r.asked, id)
		s := m.GetProcessBundleSplit()
		stale := a.bundle.process != p || a.bundle.attempt != a.attempt
		if s != nil && len(s.GetChannelSplits())+len(s.GetResidualRoots()) == 0 && !stale && a.later > 0 {
			r.splitLater(id, a)
			return
		}
		switch {
		case m.GetError() != "", stale:
			m = a.empty
		case len(s.GetChannelSplits()) == 1 && len(s.GetResidualRoots()) == 0:
			a.bundle.keep = s.GetChannelSplits()[0].GetFirstResidualElement()
		case s != nil && len(s.GetChannelSplits())+len(s.GetResidualRoots()) > 0:
			a.bundle.keep = -2 // within an element
		}
		r.answers.push(m)
		return
	}
	b := r.attempts[id]
	if b == nil || b.process != p {
		return // of an attempt that was given up
	}
	if m.GetError() != "" {
		r.again(b, m.GetError())
		return
	}
	b.answer = m
	r.complete(b)
}

// output takes elements of a process.
func (r *relay) output(m *fnexecution_v1.Elements) {
	r.mu.Lock()
	defer r.mu.Unlock()
	each := func(id string, last bool, part *fnexecution_v1.Elements) {
		b := r.attempts[id]
		if b == nil {
			return
		}
		b.output = append(b.output, named(part, b.id))
		if last {
			b.ended++
		}
		r.complete(b)
	}
	for _, d := range m.GetData() {
		each(d.GetInstructionId(), d.GetIsLast(), &fnexecution_v1.Elements{Data: []*fnexecution_v1.Elements_Data{d}})
	}
	for _, t := range m.GetTimers() {
		each(t.GetInstructionId(), false, &fnexecution_v1.Elements{Timers: []*fnexecution_v1.Elements_Timers{t}})
	}
}

// complete hands a bundle on that has ended well, with all of its output.
func (r *relay) complete(b *bundle) {
	if b.answer == nil || b.ended < r.stageOf(b).sinks {
		return
	}
	r.elements.push(b.output...)
	b.answer.InstructionId = b.id
	r.answers.push(b.answer)
	r.drop(b)
	delete(r.bundles, b.id)
}

// of returns the process that has sent something.
func (r *relay) of(ctx context.Context) (*process, error) {
	id, err := grpcx.ReadWorkerID(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.processes[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no process %q", id)
}

// Control is the stream of instructions to a process.
func (r *relay) Control(stream fnexecution_v1.BeamFnControl_ControlServer) error {
	p, err := r.of(stream.Context())
	if err != nil {
		return err
	}
	r.mu.Lock()
	p.connected = true
	waiting := r.waiting
	r.waiting = nil
	for _, b := range waiting {
		r.assign(b)
	}
	r.mu.Unlock()
	go p.control.send(stream.Send)
	defer p.command.Process.Kill() // a process that cannot answer is of no use
	return each(stream.Recv, func(m *fnexecution_v1.InstructionResponse) { r.answered(p, m) })
}

// Data is the stream of elements to and from a process.
func (r *relay) Data(stream fnexecution_v1.BeamFnData_DataServer) error {
	p, err := r.of(stream.Context())
	if err != nil {
		return err
	}
	go p.data.send(stream.Send)
	return each(stream.Recv, r.output)
}

// State is the stream of side inputs and the like to a process.
func (r *relay) State(stream fnexecution_v1.BeamFnState_StateServer) error {
	p, err := r.of(stream.Context())
	if err != nil {
		return err
	}
	go p.state.send(stream.Send)
	return each(stream.Recv, func(m *fnexecution_v1.StateRequest) {
		r.mu.Lock()
		r.requested++
		id := fmt.Sprintf("%s/%d", p.id, r.requested)
		r.states[id] = state{p, m.GetId()}
		m.Id = id
		m.InstructionId, _, _ = strings.Cut(m.InstructionId, "~")
		r.requests.push(m)
		r.mu.Unlock()
	})
}

// Logging passes on what a process logs.
func (r *relay) Logging(stream fnexecution_v1.BeamFnLogging_LoggingServer) error {
	return each(stream.Recv, func(m *fnexecution_v1.LogEntry_List) { r.logs.push(m) })
}

// GetProcessBundleDescriptor returns the description of a stage.
func (r *relay) GetProcessBundleDescriptor(_ context.Context, m *fnexecution_v1.GetProcessBundleDescriptorRequest) (*fnexecution_v1.ProcessBundleDescriptor, error) {
	d, err := r.runner.GetProcessBundleDescriptor(r.ctx, m)
	if err != nil {
		return nil, err
	}
	d, s, err := rewrite(d, r.endpoint)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stages[m.GetProcessBundleDescriptorId()] = s
	return d, nil
}

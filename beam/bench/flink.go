package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// settings are those that Flink's own scripts work out or ask for.
const settings = `jobmanager.rpc.address: localhost
jobmanager.rpc.port: %d
rest.port: %d
rest.address: localhost
rest.bind-address: localhost
jobmanager.memory.process.size: 1g
taskmanager.host: localhost
taskmanager.bind-host: localhost
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1.0
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.task.heap.size: 768m
taskmanager.memory.task.off-heap.size: 512m
taskmanager.memory.managed.size: 256m
taskmanager.memory.network.min: 128m
taskmanager.memory.network.max: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 128m
taskmanager.memory.jvm-overhead.max: 128m
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 5
restart-strategy.fixed-delay.delay: 10 s # in which heartbeats miss who is gone
heartbeat.interval: 2000
heartbeat.timeout: 10000
# Empty at the start: jars that a cluster before has left would be read and compared.
process.working-dir: %s
io.tmp.dirs: %[3]s
# Task managers have Beam's classes: those that a job brings along are the same ones.
classloader.resolve-order: parent-first
`

// flink is a cluster on this machine.
type flink struct {
	dir      string // of its settings, jars and logs
	rest     int    // port
	managers []*exec.Cmd
}

// onFlink runs rffbeam on a cluster of Flink, which it starts and ends.
func onFlink(dir string, args ...string) (u usage, err error) {
	ports, err := free(3)
	if err != nil {
		return u, err
	}
	f := &flink{dir: dir, rest: ports[1]}
	work, err := os.MkdirTemp(dir, "work")
	if err != nil {
		return u, err
	}
	defer os.RemoveAll(work)
	if err := f.prepare(fmt.Sprintf(settings, ports[0], ports[1], work)); err != nil {
		return u, err
	}
	job, err := f.java("manager", "-Xmx512m", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "-c", dir)
	if err != nil {
		return u, err
	}
	defer u.end(job, os.Interrupt)
	if err := await(f.rest); err != nil {
		return u, err
	}
	defer func() {
		for _, c := range f.managers {
			u.end(c, os.Interrupt)
		}
	}()
	for range *processes {
		if err := f.manage(); err != nil {
			return u, err
		}
	}
	server, err := f.java("server", "-Xmx512m", "org.apache.beam.runners.flink.FlinkJobServerDriver", fmt.Sprint("--flink-master=localhost:", f.rest),
		"--job-host=localhost", fmt.Sprint("--job-port=", ports[2]), "--artifact-port=0", "--expansion-port=0", "--artifacts-dir="+filepath.Join(work, "artifacts"))
	if err != nil {
		return u, err
	}
	defer u.end(server, os.Interrupt)
	if err := await(ports[2]); err != nil {
		return u, err
	}
	done, killed := make(chan bool), make(chan error, 1)
	go func() { killed <- f.killOne(done) }()
	args = append(args, "--runner=flink", fmt.Sprint("--endpoint=localhost:", ports[2]), fmt.Sprint("--parallelism=", *processes))
	if *workers == "process" {
		args = append(args, "--environment_type=PROCESS", fmt.Sprintf(`--environment_config={"command":%q}`, filepath.Join(dir, "rffbeam")))
	} else {
		args = append(args, "--environment_type=LOOPBACK")
	}
	err = u.run(filepath.Join(dir, "rffbeam"), args...)
	close(done)
	if k := <-killed; err == nil {
		err = k
	}
	if *kill > 0 {
		f.printStates()
	}
	return u, err
}

// prepare fetches jars and writes settings.
func (f *flink) prepare(settings string) error {
	if _, err := os.Stat(filepath.Join(f.dir, "jars")); err != nil {
		c := exec.Command("mvn", "-q", "-f", "bench/flink/pom.xml", "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(f.dir, "jars"))
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return os.WriteFile(filepath.Join(f.dir, "config.yaml"), []byte(settings), 0o644)
}

// java starts a class with what Java 17 keeps from Flink unless told, and a log.
func (f *flink) java(name, memory, class string, args ...string) (*exec.Cmd, error) {
	var flags []string
	for _, of := range []string{"lang", "net", "nio", "time", "util", "util.concurrent"} {
		flags = append(flags, "--add-opens=java.base/java."+of+"=ALL-UNNAMED")
	}
	flags = append(flags, "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
		"-Dorg.slf4j.simpleLogger.showDateTime=true", "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss",
		"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", // most of what a short job costs is compiling
		memory, "-cp", filepath.Join(f.dir, "jars", "*"), class)
	log, err := os.Create(filepath.Join(f.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := exec.Command("java", append(flags, args...)...)
	c.Args[0] = name // which /proc shows
	c.Stdout, c.Stderr = log, log
	return c, c.Start()
}

// manage starts one more task manager.
func (f *flink) manage() error {
	name := fmt.Sprint("task", len(f.managers))
	c, err := f.java(name, "-Xmx896m", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "-c", f.dir, "-D", "taskmanager.resource-id="+name)
	if err == nil {
		f.managers = append(f.managers, c)
	}
	return err
}

// killOne kills the first task manager once the second job, the fit, has run for a while,
// and starts another one.
func (f *flink) killOne(done <-chan bool) error {
	if *kill == 0 {
		return nil
	}
	for {
		select {
		case <-done:
			return fmt.Errorf("the fit did not run for %v", *kill)
		case <-time.After(100 * time.Millisecond):
		}
		var jobs struct {
			Jobs []struct {
				State    string
				Duration int64
			}
		}
		if err := f.get("/jobs/overview", &jobs); err != nil {
			return err
		}
		if len(jobs.Jobs) < 2 {
			continue
		}
		for _, j := range jobs.Jobs {
			if j.State == "RUNNING" && j.Duration >= kill.Milliseconds() {
				if err := f.managers[0].Process.Kill(); err != nil {
					return err
				}
				fmt.Printf("%s killed task0, %.1f s after the fit began\n", time.Now().UTC().Format(time.TimeOnly), float64(j.Duration)/1e3)
				return f.manage()
			}
		}
	}
}

func (f *flink) get(path string, into any) error {
	r, err := http.Get(fmt.Sprint("http://localhost:", f.rest, path))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	return json.NewDecoder(r.Body).Decode(into)
}

// printStates prints what the job manager says of the states of jobs.
func (f *flink) printStates() {
	log, err := os.Open(filepath.Join(f.dir, "manager.log"))
	if err != nil {
		return
	}
	defer log.Close()
	for s := bufio.NewScanner(log); s.Scan(); {
		at, of, ok := strings.Cut(s.Text(), " - Job ")
		if _, state, switched := strings.Cut(of, " switched from state "); ok && switched {
			at, _, _ = strings.Cut(at, " ")
			fmt.Println(at, "job", state)
		}
	}
}

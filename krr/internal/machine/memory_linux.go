// Package machine says what the machine can give to this process.
package machine

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// Memory returns the bytes that this process can still have: what /proc/meminfo
// says is available, with free swap, within the limits of the control groups and
// of the address space. It is MaxInt64 where the system does not say.
func Memory() int64 {
	have := int64(math.MaxInt64)
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		info := fields(b)
		if n, ok := info["MemAvailable:"]; ok {
			have = (n + info["SwapFree:"]) << 10
		}
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		if b, err := os.ReadFile("/proc/self/status"); err == nil {
			have = min(have, max(0, int64(limit.Cur)-fields(b)["VmSize:"]<<10))
		}
	}
	if b, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		have = min(have, groupMemory("/sys/fs/cgroup", string(b)))
	}
	return have
}

// groupMemory returns the bytes that control groups leave to the process. groups is the
// text of /proc/self/cgroup; the groups, of version 2 or of the memory controller of
// version 1, are mounted at root.
func groupMemory(root, groups string) int64 {
	have := int64(math.MaxInt64)
	for _, line := range strings.Split(groups, "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		top, limit, usage, cache := root, "memory.max", "memory.current", "inactive_file"
		if parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			top, limit, usage, cache = path.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		// A limit binds all groups below it. Within a container the path may not
		// exist; its own limit is then at the top.
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			folder := path.Join(top, at)
			if most, ok := number(path.Join(folder, limit)); ok {
				used, _ := number(path.Join(folder, usage))
				b, _ := os.ReadFile(path.Join(folder, "memory.stat"))
				have = min(have, max(0, most-used+fields(b)[cache]))
			}
			if at == "/" {
				break
			}
		}
	}
	return have
}

// number reads a file of one number. ok is false for "max".
func number(path string) (int64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// fields reads lines of a name and a number.
func fields(b []byte) map[string]int64 {
	all := map[string]int64{}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) >= 2 {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				all[f[0]] = n
			}
		}
	}
	return all
}

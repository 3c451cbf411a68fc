package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rffgo/rff/internal/require"
)

// browser is headless Chromium, driven through the pipes of its DevTools.
type browser struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string
	id      int
}

// startBrowser opens Chromium with an empty profile, and a page.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		require.Absent(t, "chromium", "Chromium is absent (Debian: chromium)")
	}
	hears, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	c.ExtraFiles = []*os.File{hears, says}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	hears.Close()
	says.Close()
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		late := time.AfterFunc(10*time.Second, func() { c.Process.Kill() })
		c.Wait()
		late.Stop()
		to.Close()
		from.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Page.enable", nil, nil)
	return b
}

func (b *browser) send(session, method string, params any) {
	b.id++
	m := map[string]any{"id": b.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	b.to.Write(append(text, 0))
}

// call calls a method of the protocol and waits for its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.send(b.session, method, params)
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: Chromium has ended: %v", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case m.ID != b.id:
		case m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		default:
			if result != nil {
				if err := json.Unmarshal(m.Result, result); err != nil {
					b.t.Fatal(err)
				}
			}
			return
		}
	}
}

// eval returns the value of an expression, or of the promise that it is.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return fmt.Sprint(r.Result.Value)
}

// choose gives files to the file input with that id, as a person would.
func (b *browser) choose(id string, files ...string) {
	b.t.Helper()
	var handle struct{ Result struct{ ObjectID string } }
	b.call("Runtime.evaluate", map[string]any{"expression": "document.getElementById('" + id + "')"}, &handle)
	b.call("DOM.setFileInputFiles", map[string]any{"files": files, "objectId": handle.Result.ObjectID}, nil)
}

// until waits until an expression is true, ten minutes at most: machines may be busy.
func (b *browser) until(expression string) {
	b.t.Helper()
	b.eval("new Promise((done, late) => { const end = Date.now() + 600000, look = () => { if (" + expression + ") done(true); else if (Date.now() > end) late(new Error('it never comes true')); else setTimeout(look, 50) }; look() })")
}

// pictures writes the page at the width of a desk and of a phone into the folder that
// RFF_PICTURES names, for a person to look at.
func (b *browser) pictures() {
	folder := os.Getenv("RFF_PICTURES")
	if folder == "" {
		return
	}
	for name, width := range map[string]int{"desk": 1280, "phone": 390} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
		b.eval("new Promise(done => setTimeout(done, 500))")
		var shot struct{ Data []byte }
		b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
		if err := os.WriteFile(filepath.Join(folder, name+".png"), shot.Data, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

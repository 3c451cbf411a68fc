package require

import "testing"

// outcome records how a test was ended.
type outcome struct {
	testing.TB
	failed, skipped bool
}

func (o *outcome) Helper()               {}
func (o *outcome) Fatalf(string, ...any) { o.failed = true }
func (o *outcome) Skip(...any)           { o.skipped = true }

func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		names string
		fails bool
	}{{"", false}, {"go,openblas", false}, {"python", true}, {"go,python,avx2", true}, {"pythonic", false}} {
		t.Setenv("RFF_TEST_REQUIRE", c.names)
		o := &outcome{TB: t}
		Absent(o, Python, "no NumPy")
		if o.failed != c.fails || !o.failed && !o.skipped {
			t.Errorf("RFF_TEST_REQUIRE=%q: failed %v, skipped %v", c.names, o.failed, o.skipped)
		}
	}
}

func TestData(t *testing.T) {
	t.Setenv("RFF_TEST_REQUIRE", "data")
	for _, folder := range []string{"", "somewhere"} {
		t.Setenv("RFF_DATA", folder)
		o := &outcome{TB: t}
		if got := Data(o); got != folder || o.failed != (folder == "") {
			t.Errorf("RFF_DATA=%q: %q, failed %v", folder, got, o.failed)
		}
	}
}

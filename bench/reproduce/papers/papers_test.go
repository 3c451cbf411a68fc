package papers

import "testing"

// The table has all its rows, and those that the text of the paper quotes.
func TestLiuTable3(t *testing.T) {
	all := LiuTable3()
	count, significant := map[string]int{}, 0
	for _, r := range all {
		count[r.Data]++
		if r.Significant {
			significant++
		}
		if !(r.Accuracy > 60 && r.Accuracy < 100) || r.AccuracySD < 0 || r.Generate <= 0 {
			t.Errorf("%+v is no figure of the table", r)
		}
	}
	// Eight numbers of features, covtype five, by four methods.
	if count["eeg"] != 32 || count["magic04"] != 32 || count["cod-rna"] != 32 || count["covtype"] != 20 {
		t.Errorf("figures per set: %v", count)
	}
	for _, r := range all {
		if r.Data == "eeg" && r.PerInput == 128 && r.Method == "surrogate" {
			if r.Accuracy != 91.02 || r.AccuracySD != 0.32 || r.Generate != 0.96 || !r.Significant {
				t.Errorf("EEG at 128d: %+v", r)
			}
			return
		}
	}
	t.Error("no surrogate at 128d on EEG")
}

// Both tables have all their rows; Table 5 repeats Table 3's EERF.
func TestEERFTables(t *testing.T) {
	type at struct{ data, method string }
	errors, tables := map[at]float64{}, map[int]int{}
	for _, r := range EERFTables() {
		tables[r.Table]++
		if e, ok := errors[at{r.Data, r.Method}]; ok && e != r.Error {
			t.Errorf("%s, %s has the errors %v and %v", r.Data, r.Method, e, r.Error)
		}
		errors[at{r.Data, r.Method}] = r.Error
	}
	if tables[3] != 8 || tables[5] != 14 || errors[at{"adult", "eerf"}] != 16.16 || errors[at{"adult", "rks"}] != 17.37 || errors[at{"adult", "lkrf"}] != 16.34 {
		t.Errorf("rows %v, errors %v", tables, errors)
	}
}

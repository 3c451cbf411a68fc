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

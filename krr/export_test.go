package krr

// FoldOf lets tests split rows as fits do.
func FoldOf(seed uint64, row int64, folds int) int { return foldOf(seed, row, folds) }

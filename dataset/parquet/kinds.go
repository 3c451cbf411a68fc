package parquet

import "fmt"

// Why columns are refused.

const dateOrTime = "is a date or time: write what matters of it as numbers, or name other inputs"

func nested(what string) string {
	return fmt.Sprintf("is nested (%s): write its values as columns of their own, or name other inputs", what)
}

func neither(what string) string {
	return fmt.Sprintf("has values of a type (%s) that are neither numbers nor text: name other inputs", what)
}

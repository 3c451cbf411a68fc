package parquet

import "fmt"

// Why columns are refused.

const dateOrTime = "is a duration, or a time of a form that is not read (INT96): write it as a number or a timestamp, or name other inputs"

func nested(what string) string {
	return fmt.Sprintf("is nested (%s): write its values as columns of their own, or name other inputs", what)
}

func neither(what string) string {
	return fmt.Sprintf("has values of a type (%s) that are neither numbers nor text: name other inputs", what)
}

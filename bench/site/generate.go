package main

import "fmt"

// generate returns the Markdown that stands in place of <!-- generated: name -->.
func (s *site) generate(name string) (string, error) {
	return "", fmt.Errorf("there is nothing of that name")
}

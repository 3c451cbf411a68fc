//go:build !small

package main

import _ "github.com/rffgo/rff/dataset/brotli" // which takes half as long to compile as all the rest

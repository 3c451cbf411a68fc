//go:build !small

package main

import _ "github.com/rffgo/rff/dataset/brotli" // it takes half as long to compile as all the rest

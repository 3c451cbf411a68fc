package main

import (
	_ "github.com/rffgo/rff/dataset/avro"
	_ "github.com/rffgo/rff/dataset/parquet" // and Arrow files
)

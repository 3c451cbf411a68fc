package main

import _ "github.com/rffgo/rff/dataset/parquet" // the command reads Parquet and Arrow files

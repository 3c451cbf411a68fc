package main

import _ "github.com/rffgo/rff/dataset/zstd" // the command reads data compressed with Zstandard

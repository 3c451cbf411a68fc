module github.com/rffgo/rff/asm/_gen

go 1.24.0

package main

// #include <stdlib.h>
import "C"

import (
	"bytes"
	"context"
	"io"

	"github.com/rffgo/rff/krr"
)

// info says what a model is.
func (r *request) info(context.Context) (any, error) {
	m, err := of[*krr.Model](r.Handle)
	if err != nil {
		return nil, err
	}
	return &fitted{Handle: r.Handle, Info: factsOf(m)}, nil
}

// bytes returns the file of a model or of sums, in memory that rff_release frees.
func (r *request) bytes(context.Context) (any, error) {
	from, err := of[io.WriterTo](r.Handle)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := from.WriteTo(&b); err != nil {
		return nil, err
	}
	return map[string]any{"data": uintptr(C.CBytes(b.Bytes())), "size": b.Len()}, nil
}

// read reads the file of a model, or of sums.
func (r *request) read(context.Context) (any, error) {
	b := bytes.NewReader(r.one('t').bytes())
	if r.Want == "gram" {
		g, err := krr.ReadGram(b)
		if err != nil {
			return nil, err
		}
		return &fitted{Handle: hold(g)}, nil
	}
	m, err := krr.ReadModel(b)
	if err != nil {
		return nil, err
	}
	return fittedOf(m, nil), nil
}

// save writes a model to a file.
func (r *request) save(context.Context) (any, error) {
	m, err := of[*krr.Model](r.Handle)
	if err != nil {
		return nil, err
	}
	return nil, m.Save(r.Path)
}

// load reads a model from a file.
func (r *request) load(context.Context) (any, error) {
	m, err := krr.Load(r.Path)
	if err != nil {
		return nil, err
	}
	return fittedOf(m, nil), nil
}

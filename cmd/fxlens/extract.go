package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// The words for what extract makes of a permutation, beside the tags of chunks.
const (
	wordReflection = "reflection"
	wordPrograms   = "programs"
)

// extracted returns a chunk of a package, a view of a container, or a value inside
// its document, and whether that is no text.
func (a *app) extracted(ctx context.Context, l session.Link, data []byte, place string) (value []byte, binary bool, err error) {
	tag, path, hasPath := strings.Cut(place, "/")
	if tag == wordReflection || tag == wordPrograms {
		s, err := a.openData(l, data)
		if err != nil {
			return nil, false, err
		}
		v, err := permutationDocument(s, l, tag)
		if err != nil {
			return nil, false, err
		}
		if !hasPath {
			path = ""
		}
		return jsonValue(tag, v, path)
	}
	if !l.IsFile() {
		return nil, false, usagef("%s selects a permutation, which only reflection and programs have; leave it out", l.Inside())
	}
	chunks, findings := cewgpu.ParseContainer(data)
	if len(chunks) == 0 && carbon.Sniff(data) {
		s, err := a.openData(l, data)
		if err != nil {
			return nil, false, err
		}
		if chunks, err = s.Container.Views(ctx, s.DefaultPermutation(), filepath.Base(l.File)); err != nil {
			return nil, false, err
		}
	}
	if len(chunks) == 0 {
		return nil, false, &session.OpenError{Name: l.File, Reason: (&cewgpu.InvalidError{Findings: findings}).Error(), Remedy: "name a CEWGPU package or a Carbon WebGPU container", Err: session.ErrUnknown}
	}
	i := slices.IndexFunc(chunks, func(c cewgpu.Chunk) bool { return c.Tag == tag })
	if i < 0 {
		var tags []string
		for _, c := range chunks {
			tags = append(tags, c.Tag)
		}
		return nil, false, usagef("there is no chunk %q; %s", tag, session.Hint(tag, append(tags, wordReflection, wordPrograms)))
	}
	chunk := chunks[i].Data
	if !hasPath || path == "" {
		return chunk, !utf8.Valid(chunk), nil
	}
	if tag == "RBLB" {
		p, _ := cewgpu.Validate(data)
		b, ok := p.Blob(path)
		if !ok {
			return nil, false, usagef("there is no blob %q; blobs are called blob0, blob1 and so on", path)
		}
		return b, true, nil
	}
	return jsonValue(tag, chunk, path)
}

// permutationDocument is the portable reflection of a permutation, or its modules.
func permutationDocument(s *session.Session, l session.Link, word string) ([]byte, error) {
	if s.Effect == nil {
		return nil, usagef("%s is a %s that describes no effect, so that it has no %s", s.Name, s.Kind, word)
	}
	perm, err := s.PermutationOfLink(l)
	if err != nil {
		return nil, err
	}
	bad := func(err error) error {
		return &session.LinkError{Link: l.Inside(), Reason: err.Error(), Hint: "name a permutation that the package has it of"}
	}
	var v any
	switch {
	case word == wordReflection && s.Package != nil:
		v, err = s.Package.PortableReflection(perm)
	case word == wordReflection:
		v, err = cewgpu.PortableReflection(s.Effect, filepath.Base(l.File), perm)
	case s.Package != nil:
		v, err = s.Package.Modules(perm)
	case s.Container != nil:
		set, _ := s.Container.WGSL(perm)
		v = &cewgpu.Modules{BodyKey: s.Container.Bodies[s.Container.BodyOf(perm)].Key, Shaders: set.Shaders, Layouts: set.Layouts, Transforms: set.ResourceTransforms}
	default:
		return nil, usagef("%s is an effect, whose modules `fxlens wgsl` makes", s.Name)
	}
	if err != nil {
		return nil, bad(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("print JSON: %w", err)
	}
	return b, nil
}

// jsonValue goes down a path in a document and prints what is there.
func jsonValue(tag string, document []byte, path string) (value []byte, binary bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber() // numbers print as they stand
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false, usagef("chunk %s is no JSON document: %v; leave the path out", tag, err)
	}
	at := tag
	for key := range strings.SplitSeq(path, "/") {
		if path == "" {
			break
		}
		next, hint := step(v, key)
		if hint != "" {
			return nil, false, usagef("%s has no %q; %s", at, key, hint)
		}
		v = next
		at += "/" + key
	}
	if s, ok := v.(string); ok {
		return []byte(s), false, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, false, fmt.Errorf("print JSON: %w", err)
	}
	return safeJSON(b.Bytes()), false, nil
}

// extractInto writes every chunk of a package into a folder.
func (a *app) extractInto(path string, f *extractFlags) error {
	data, err := a.read(path)
	if err != nil {
		return err
	}
	chunks, findings := cewgpu.ParseContainer(data)
	if cewgpu.HasErrors(findings) {
		return &session.OpenError{Name: path, Reason: (&cewgpu.InvalidError{Findings: findings}).Error(), Remedy: "name a sound CEWGPU package", Err: session.ErrUnknown}
	}
	if err := files.MakeDir(f.into); err != nil {
		return err
	}
	names := make([]string, len(chunks))
	for i, c := range chunks {
		names[i] = filepath.Join(f.into, cewgpu.FileName(i, c))
		if _, err := os.Lstat(names[i]); err == nil && !f.force {
			return existsError(names[i]) // before the first is written
		}
	}
	for i, c := range chunks {
		if err := write(names[i], c.Data, f.force); err != nil {
			return err
		}
		a.print("%s: %d bytes\n", views.Text(names[i]), len(c.Data))
	}
	return nil
}

// packFolder makes a container of a folder of chunks, and checks what it is.
func (a *app) packFolder(dir string, f *buildFlags) error {
	if f.out == "" {
		return usagef("build needs a target: -o FILE")
	}
	chunks, err := cewgpu.ReadFolder(os.DirFS(dir))
	if err != nil {
		return &session.OpenError{Name: dir, Reason: err.Error(), Remedy: "name a folder that `fxlens extract --into` wrote, or one of files NN-TAG.ext", Err: err}
	}
	if len(chunks) == 0 {
		return &session.OpenError{Name: dir, Reason: "the folder is empty", Remedy: "name a folder of chunks, files called NN-TAG.ext", Err: session.ErrUnknown}
	}
	data, err := cewgpu.EncodeContainer(chunks)
	if err != nil {
		return &session.OpenError{Name: dir, Reason: err.Error(), Remedy: "rename the file; a tag stands once", Err: err}
	}
	p, found := cewgpu.Validate(data)
	var ds []diag.Diag
	for _, g := range found {
		ds = append(ds, g.Diag())
	}
	if cewgpu.HasErrors(found) {
		a.diagnostics(dir, ds)
		a.problem("%s: no package was written: %s", views.Text(f.out), plural(len(ds), "finding", "findings"))
		return errRefused
	}
	if err := write(f.out, data, f.force); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(wroteDoc{"fxlens.wrote/1", f.out, len(data), fmt.Sprintf("%x", p.SHA256)})
	}
	a.print("%s: %s package of %s, %d bytes\n", views.Text(f.out), p.Kind, plural(len(chunks), "chunk", "chunks"), len(data))
	a.diagnostics(f.out, ds)
	return nil
}

// step goes into an object or list, or says what there is instead.
func step(v any, key string) (next any, hint string) {
	switch x := v.(type) {
	case map[string]any:
		if n, ok := x[key]; ok {
			return n, ""
		}
		return nil, session.Hint(key, slices.Sorted(maps.Keys(x)))
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(x) {
			return x[i], ""
		}
		var keys []string
		for _, e := range x {
			if m, ok := e.(map[string]any); ok {
				if k, ok := m["key"].(string); ok {
					if k == key {
						return e, ""
					}
					keys = append(keys, k)
				}
			}
		}
		if len(keys) > 0 {
			return nil, session.Hint(key, keys)
		}
		return nil, fmt.Sprintf("it is a list of %d", len(x))
	}
	return nil, "it is a single value"
}

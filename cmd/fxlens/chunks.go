package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/dxbc"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// chunkDoc is one chunk of a container.
type chunkDoc struct {
	Tag     string `json:"tag"`
	Offset  int    `json:"offset"`  // of the payload in the container
	Size    int    `json:"size"`    // of the payload
	SHA256  string `json:"sha256"`  // of the payload
	Meaning string `json:"meaning"` // what the tag stands for; empty if unknown
}

func chunksOf(c *dxbc.Container) []chunkDoc {
	out := []chunkDoc{}
	const header = 8 // tag and size
	for i := range c.Chunks {
		ch := &c.Chunks[i]
		out = append(out, newChunk(ch.Tag, ch.Offset+header, ch.Data, dxbc.ChunkDoc(ch.Tag)))
	}
	return out
}

func newChunk(tag string, offset int, data []byte, meaning string) chunkDoc {
	sum := sha256.Sum256(data)
	return chunkDoc{tag, offset, len(data), hex.EncodeToString(sum[:]), meaning}
}

// chunksDoc is the JSON of chunks.
type chunksDoc struct {
	Schema string     `json:"schema"` // fxlens.chunks/1
	Link   string     `json:"link"`
	Kind   string     `json:"kind"` // dxbc or cewgpu
	Chunks []chunkDoc `json:"chunks"`
}

// chunkFlags are the flags of chunks.
type chunkFlags struct {
	extract string
	replace []string
	strip   []string
	out     string
	force   bool
}

// surgery reports whether a container is to be written.
func (f *chunkFlags) surgery() bool {
	return len(f.replace)+len(f.strip) > 0 || f.out != "" && f.extract == ""
}

func (a *app) chunksCommand() *cobra.Command {
	var f chunkFlags
	cmd := &cobra.Command{
		Use:   "chunks FILE[LINK]",
		Short: "list, extract, replace and strip the chunks of containers",
		Long: `chunks lists the chunks of a DXBC container, of a package, or of the programs that
the link selects in an effect: tag, offset and size of the payload, meaning.

--extract prints the payload of one chunk, or writes it to -o. With -o and --strip or
--replace, chunks writes another container with a correct checksum: stripped first,
then replaced; a tag to replace that is not there becomes the last chunk. -o alone
writes the same chunks with a correct checksum. For these the link selects one program.`,
		Example: `  fxlens chunks shader.dxbc --extract STAT -o stat.bin
  fxlens chunks shader.dxbc --strip RDEF --strip STAT -o small.dxbc
  fxlens chunks 'quadv5.sm_hi#Main/0/ps' --replace PRIV=notes.bin -o patched.dxbc`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := parseArg(args[0])
			if err != nil {
				return err
			}
			switch {
			case f.extract != "" && len(f.replace)+len(f.strip) > 0:
				return usagef("--extract reads a chunk, --replace and --strip write a container; use one of them at a time")
			case f.extract != "" || f.surgery():
				return a.editChunks(l, &f)
			}
			return a.listChunks(l)
		},
	}
	cmd.Flags().StringVar(&f.extract, "extract", "", "print or write the payload of the chunk `TAG`")
	cmd.Flags().StringArrayVar(&f.replace, "replace", nil, "take the payload of a chunk from a file: `TAG=FILE` (repeatable)")
	cmd.Flags().StringArrayVar(&f.strip, "strip", nil, "leave out the chunks `TAG` (repeatable)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`file` to write")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

func (a *app) listChunks(l session.Link) error {
	data, err := a.read(l.File)
	if err != nil {
		return err
	}
	// What cannot be opened as a shader may still be a container.
	if l.IsFile() {
		if c, err := dxbc.Parse(data); err == nil {
			return a.printChunks([]chunksDoc{{"fxlens.chunks/1", l.String(), "dxbc", chunksOf(c)}}, l.String(), true)
		}
		if chunks, _ := cewgpu.ParseContainer(data); len(chunks) > 0 {
			d := chunksDoc{"fxlens.chunks/1", l.String(), "cewgpu", []chunkDoc{}}
			for _, c := range chunks {
				d.Chunks = append(d.Chunks, newChunk(c.Tag, c.Offset, c.Data, session.ChunkDoc(chunks, c.Tag)))
			}
			return a.printChunks([]chunksDoc{d}, l.String(), true)
		}
	}
	s, err := a.openData(l, data)
	if err != nil {
		return err
	}
	t, err := s.Resolve(l)
	if err != nil {
		return err
	}
	return a.programChunks(s, t)
}

// oneContainer returns the container that the link selects.
func (a *app) oneContainer(l session.Link) (*dxbc.Container, error) {
	data, err := a.read(l.File)
	if err != nil {
		return nil, err
	}
	if l.IsFile() {
		if c, err := dxbc.Parse(data); err == nil {
			return c, nil
		}
		if chunks, _ := cewgpu.ParseContainer(data); len(chunks) > 0 {
			return nil, usagef("%s is a package: `fxlens extract` takes it apart, `fxlens build` makes one", l.File)
		}
	}
	s, err := a.openData(l, data)
	if err != nil {
		return nil, err
	}
	t, err := s.Resolve(l)
	if err != nil {
		return nil, err
	}
	refs, err := stages(s, t)
	if err != nil {
		return nil, err
	}
	if len(refs) != 1 {
		return nil, usagef("%s selects %s; name one, as in %s", l, plural(len(refs), "program", "programs"), oneOf(s, refs))
	}
	c, err := dxbc.Parse(refs[0].input.Program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; take the file from its source again", refs[0].link(s), err)
	}
	return c, nil
}

// oneOf is a link that selects one of several programs.
func oneOf(s *session.Session, refs []stageRef) string {
	if len(refs) == 0 {
		return "FILE#TECHNIQUE/PASS/STAGE"
	}
	return refs[0].link(s)
}

// editChunks extracts a chunk, or writes a container with chunks changed.
func (a *app) editChunks(l session.Link, f *chunkFlags) error {
	if f.extract == "" && f.out == "" {
		return usagef("--replace and --strip need a target: -o FILE")
	}
	c, err := a.oneContainer(l)
	if err != nil {
		return err
	}
	if f.extract != "" {
		b, err := c.Extract(f.extract)
		if err != nil {
			return noChunk(err)
		}
		if f.out != "" {
			return a.writeBytes(f.out, b, f.force)
		}
		if a.outTerm {
			return usagef("chunk %s is binary; write it to a file with -o", f.extract)
		}
		if _, err := a.out.Write(b); err != nil {
			return fmt.Errorf("cannot write the output: %w", err)
		}
		return nil
	}
	out, err := c.Strip(f.strip...)
	if err != nil {
		return noChunk(err)
	}
	for _, r := range f.replace {
		tag, path, ok := strings.Cut(r, "=")
		if !ok || len(tag) != 4 || path == "" {
			return usagef("--replace %s is not TAG=FILE with a tag of four characters", r)
		}
		payload, err := files.Read(path, 0)
		if err != nil {
			return err
		}
		edited, err := dxbc.Parse(out)
		if err != nil {
			return fmt.Errorf("%s: the edited container does not read back: %w", l, err)
		}
		if out, err = edited.Replace(tag, payload); err != nil {
			return &session.OpenError{Name: path, Reason: err.Error(), Remedy: "name a smaller payload", Err: err}
		}
	}
	if _, err := dxbc.Parse(out); err != nil {
		return fmt.Errorf("%s: the edited container does not read back: %w", l, err)
	}
	return a.writeBytes(f.out, out, f.force)
}

// noChunk makes a tag that a container has not the command line's mistake.
func noChunk(err error) error {
	var e *dxbc.Error
	if errors.As(err, &e) && errors.Is(err, dxbc.ErrMissing) {
		return usagef("%s", e.Reason)
	}
	return err
}

// wroteDoc is the JSON of a command that wrote bytes as they are.
type wroteDoc struct {
	Schema string `json:"schema"` // fxlens.wrote/1
	File   string `json:"file"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// writeBytes writes a file and says so.
func (a *app) writeBytes(path string, b []byte, force bool) error {
	if err := files.Write(path, b, force); err != nil {
		if errors.Is(err, files.ErrExists) {
			return existsError(path)
		}
		return err
	}
	if a.json {
		sum := sha256.Sum256(b)
		return a.printJSON(wroteDoc{"fxlens.wrote/1", path, len(b), hex.EncodeToString(sum[:])})
	}
	a.print("%s: %d bytes\n", text(path), len(b))
	return nil
}

func (a *app) programChunks(s *session.Session, t session.Target) error {
	refs, err := stages(s, t)
	if err != nil {
		return err
	}
	var docs []chunksDoc
	failed := false
	for _, r := range refs {
		c, err := dxbc.Parse(r.input.Program)
		if err != nil {
			a.problem("%s: %v; take the file from its source again", text(r.link(s)), err)
			failed = true
			continue
		}
		docs = append(docs, chunksDoc{"fxlens.chunks/1", r.link(s), "dxbc", chunksOf(c)})
	}
	if err := a.printChunks(docs, linkOf(s, t), single(t, len(refs))); err != nil {
		return err
	}
	if failed {
		return errRefused
	}
	return nil
}

func (a *app) printChunks(docs []chunksDoc, link string, one bool) error {
	if a.json {
		all := make([]any, len(docs))
		for i := range docs {
			all[i] = docs[i]
		}
		return a.printDocs("fxlens.chunks/1", link, one && len(all) == 1, all)
	}
	for i := range docs {
		if !one {
			a.heading(i == 0, "#", docs[i].Link)
		}
		t := table{}
		for _, c := range docs[i].Chunks {
			t.add(c.Tag, fmt.Sprintf("%#08x", c.Offset), fmt.Sprintf("%d bytes", c.Size), c.Meaning)
		}
		a.print("%s", t.String())
	}
	return nil
}

// embeddedDoc is one container that scan found.
type embeddedDoc struct {
	Offset int           `json:"offset"`
	Size   int           `json:"size"`
	Kind   dxbc.FileKind `json:"kind"`
	What   string        `json:"what"`
	SHA256 string        `json:"sha256"`
	// Written is the file that it was extracted to.
	Written string `json:"written,omitempty"`
}

// scanDoc is the JSON of scan.
type scanDoc struct {
	Schema string        `json:"schema"` // fxlens.scan/1
	File   string        `json:"file"`
	Found  []embeddedDoc `json:"found"`
}

func (a *app) scanCommand() *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "scan FILE",
		Short: "find DXBC containers inside any file",
		Long: `scan lists every sound DXBC container inside a file of any kind: offset, size and
what it is. With --extract it also writes each into a folder, as OFFSET.dxbc with the
offset in eight or more hex digits. Finding none makes the exit code 1.`,
		Example: "  fxlens scan game.pak --extract shaders",
		Args:    exactly(1, "name one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := a.read(args[0])
			if err != nil {
				return err
			}
			found := dxbc.Scan(data)
			if dir != "" && len(found) > 0 {
				if err := extractAll(data, found, dir, force); err != nil {
					return err
				}
			}
			d := scanDoc{"fxlens.scan/1", args[0], []embeddedDoc{}}
			t := table{}
			for _, e := range found {
				sum := sha256.Sum256(data[e.Offset : e.Offset+e.Size])
				doc := embeddedDoc{e.Offset, e.Size, e.Kind.Kind, e.Kind.Text, hex.EncodeToString(sum[:]), ""}
				row := []string{fmt.Sprintf("%#08x", e.Offset), fmt.Sprintf("%d bytes", e.Size), e.Kind.Text}
				if dir != "" {
					doc.Written = embeddedPath(dir, e)
					row = append(row, doc.Written)
				}
				d.Found = append(d.Found, doc)
				t.add(row...)
			}
			if a.json {
				if err := a.printJSON(d); err != nil {
					return err
				}
			} else {
				a.print("%s", t.String())
			}
			if len(d.Found) == 0 {
				if !a.json {
					a.problem("%s: no DXBC containers inside", text(args[0]))
				}
				return errRefused
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "extract", "", "write the containers into this `folder`, made where it is missing")
	cmd.Flags().BoolVar(&force, "force", false, "replace existing files")
	return cmd
}

func embeddedPath(dir string, e dxbc.Embedded) string {
	return filepath.Join(dir, fmt.Sprintf("%08x.dxbc", e.Offset))
}

// extractAll writes what scan found. Without force it looks at all targets before it
// writes the first, so that a second run does not stop half way.
func extractAll(data []byte, found []dxbc.Embedded, dir string, force bool) error {
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	if !force {
		for _, e := range found {
			if _, err := os.Lstat(embeddedPath(dir, e)); err == nil {
				return existsError(embeddedPath(dir, e))
			}
		}
	}
	for _, e := range found {
		if err := files.Write(embeddedPath(dir, e), data[e.Offset:e.Offset+e.Size], force); err != nil {
			if errors.Is(err, files.ErrExists) {
				return existsError(embeddedPath(dir, e))
			}
			return err
		}
	}
	return nil
}

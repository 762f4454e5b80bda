package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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

// packageChunks says what the chunks of a package hold.
var packageChunks = map[string]string{
	"INFO": "what the package is: format, producer, source, counts",
	"META": "the selected permutation",
	"PGRF": "every permutation and body of the source",
	"RFLX": "the reflection of every body",
	"RBLB": "the bytes that the reflection refers to: programs, defaults",
	"ANLS": "the analysis of the selected body",
	"WGSL": "modules and binding layouts",
	"WGSB": "modules and binding layouts of every body",
}

// chunksDoc is the JSON of chunks.
type chunksDoc struct {
	Schema string     `json:"schema"` // fxlens.chunks/1
	Link   string     `json:"link"`
	Kind   string     `json:"kind"` // dxbc or cewgpu
	Chunks []chunkDoc `json:"chunks"`
}

func (a *app) chunksCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "chunks FILE[LINK]",
		Short: "list the chunks of DXBC containers and packages",
		Long: `chunks lists the chunks of a DXBC container, of a package, or of the programs that
the link selects in an effect: tag, offset and size of the payload, meaning.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := parseArg(args[0])
			if err != nil {
				return err
			}
			data, err := files.Read(l.File, 0)
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
						d.Chunks = append(d.Chunks, newChunk(c.Tag, c.Offset, c.Data, packageChunks[c.Tag]))
					}
					return a.printChunks([]chunksDoc{d}, l.String(), true)
				}
			}
			s, err := a.open(l)
			if err != nil {
				return err
			}
			t, err := s.Resolve(l)
			if err != nil {
				return err
			}
			return a.programChunks(s, t)
		},
	}
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
}

// scanDoc is the JSON of scan.
type scanDoc struct {
	Schema string        `json:"schema"` // fxlens.scan/1
	File   string        `json:"file"`
	Found  []embeddedDoc `json:"found"`
}

func (a *app) scanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "scan FILE",
		Short: "find DXBC containers inside any file",
		Long: `scan lists every sound DXBC container inside a file of any kind: offset, size and
what it is. Finding none makes the exit code 1.`,
		Args: exactly(1, "name one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := files.Read(args[0], 0)
			if err != nil {
				return err
			}
			d := scanDoc{"fxlens.scan/1", args[0], []embeddedDoc{}}
			t := table{}
			for _, e := range dxbc.Scan(data) {
				sum := sha256.Sum256(data[e.Offset : e.Offset+e.Size])
				d.Found = append(d.Found, embeddedDoc{e.Offset, e.Size, e.Kind.Kind, e.Kind.Text, hex.EncodeToString(sum[:])})
				t.add(fmt.Sprintf("%#08x", e.Offset), fmt.Sprintf("%d bytes", e.Size), e.Kind.Text)
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
}

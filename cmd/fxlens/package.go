package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

func (a *app) inspectPackage(s *session.Session) error {
	d := packageDoc{
		Schema: effect.InspectionSchema, File: s.Name, FileSize: len(s.Data), FileSHA256: hex.EncodeToString(s.SHA256[:]),
		Kind: s.Kind.String(), Chunks: []chunkDoc{}, Findings: []diag.Diag{},
	}
	for _, c := range s.Package.Chunks {
		d.Chunks = append(d.Chunks, newChunk(c.Tag, c.Offset, c.Data, packageChunks[c.Tag]))
		switch {
		case c.Tag == "INFO" && json.Valid(c.Data):
			d.Info = c.Data
		case c.Tag == "META" && json.Valid(c.Data):
			d.Meta = c.Data
		}
	}
	d.Findings = append(d.Findings, s.Findings...)
	if a.json {
		return a.printJSON(d)
	}
	a.print("%s: CEWGPU package\n", views.Text(s.Name))
	facts := table{indent: "  "}
	facts.add("size", fmt.Sprintf("%d bytes (%s)", d.FileSize, files.Size(int64(d.FileSize))))
	facts.add("sha256", d.FileSHA256)
	a.print("%s\nchunks: %d\n", facts.String(), len(d.Chunks))
	rows := table{indent: "  "}
	for _, c := range d.Chunks {
		rows.add(c.Tag, fmt.Sprintf("%#08x", c.Offset), fmt.Sprintf("%d bytes", c.Size), c.Meaning)
	}
	a.print("%s", rows.String())
	a.printFindings(s)
	return nil
}

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fxlens/core/dxbc"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// asmDoc is the JSON of asm.
type asmDoc struct {
	Schema  string `json:"schema"` // fxlens.asm/1
	File    string `json:"file"`
	Profile string `json:"profile"`
	Size    int    `json:"size"`
	SHA256  string `json:"sha256"`
}

func (a *app) asmCommand() *cobra.Command {
	var out, like string
	var force bool
	cmd := &cobra.Command{
		Use:   "asm FILE -o OUT",
		Short: "make a DXBC container of assembly",
		Long: `asm reads assembly as disasm prints it and writes a DXBC container. Signatures come
from the comment in front, or from the declarations; with --like the other chunks are
those of an existing container. A listing made with "disasm --exact" gives every bit
of the program back.`,
		Args: exactly(1, "name one listing"),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("asm needs a target: -o FILE")
			}
			b, err := a.assemble(args[0], like)
			if err != nil {
				return err
			}
			sh, err := dxbc.Open(b)
			if err != nil {
				return fmt.Errorf("%s: what was assembled does not read back: %w", args[0], err)
			}
			if err := files.Write(out, b, force); err != nil {
				if errors.Is(err, files.ErrExists) {
					return existsError(out)
				}
				return err
			}
			sum := sha256.Sum256(b)
			d := asmDoc{"fxlens.asm/1", out, sh.Program.Profile(), len(b), hex.EncodeToString(sum[:])}
			if a.json {
				return a.printJSON(d)
			}
			a.print("%s: %s, %d bytes\n", views.Text(out), d.Profile, d.Size)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write")
	cmd.Flags().StringVar(&like, "like", "", "container `file` to take the other chunks from")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

func (a *app) assemble(path, like string) ([]byte, error) {
	data, err := a.read(path)
	if err != nil {
		return nil, err
	}
	var model *dxbc.Shader
	if like != "" {
		b, err := files.Read(like, 0)
		if err != nil {
			return nil, err
		}
		if model, err = dxbc.Open(b); err != nil {
			return nil, &session.OpenError{Name: like, Reason: err.Error(), Remedy: "name a DXBC container", Err: err}
		}
	}
	b, err := dxbc.Assemble(string(data), model)
	if err != nil {
		return nil, &session.OpenError{Name: path, Reason: err.Error(), Remedy: "correct the line; `fxlens disasm` prints the form that is read", Err: err}
	}
	return b, nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/files"
	"fxlens/core/qualify"
)

func (a *app) mergeCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "merge SHARD...",
		Short: "join the reports or databases of shards",
		Long: `merge joins what "fxlens qualify --shard" wrote into what one run over the whole corpus
would have written, byte for byte. The inputs are full JSON reports, or databases, of
one version with the same options. It fails (exit code 1) as qualify does, and where a
shard of them is missing.`,
		Args: atLeast(1, "name the reports of the shards"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd.Context(), args, &f) },
	}
	f.add(cmd)
	return cmd
}

func (a *app) merge(ctx context.Context, args []string, f *reportFlags) error {
	readers := make([]io.Reader, len(args))
	for i, path := range args {
		r, stop, err := openShard(ctx, path)
		if err != nil {
			return err
		}
		defer stop()
		readers[i] = r
	}
	// The head decides which baseline fits, so it is read once before everything else.
	var head *qualify.Head
	var shards []string
	for _, path := range args {
		r, stop, err := openShard(ctx, path)
		if err != nil {
			return err
		}
		h, err := qualify.ReadHead(r)
		stop()
		if err != nil {
			return reportError(path, err)
		}
		if head == nil {
			head = h
		}
		shards = append(shards, h.Shard)
	}
	head.Shard, head.Brief = "", f.brief
	out, err := a.openReport(f, *head)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := qualify.Merge(args, readers, func(file *qualify.File) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return out.add(file)
	}); err != nil {
		return reportError("merge", err)
	}
	err = out.finish()
	if missing := qualify.MissingShards(shards); err == nil && len(missing) > 0 {
		const most = 8
		word, more := "shards", ""
		if len(missing) == 1 {
			word = "shard"
		}
		if len(missing) > most {
			missing, more = missing[:most], fmt.Sprintf(" and %d more", len(missing)-most)
		}
		a.problem("the result is without %s %s%s: give the reports of all shards", word, strings.Join(missing, ", "), more)
		return errRefused
	}
	return err
}

// openShard opens a report, or a database as if it were one.
func openShard(ctx context.Context, path string) (io.Reader, func(), error) {
	f, err := openInput(path)
	if err != nil {
		return nil, nil, err
	}
	magic := make([]byte, 16)
	n, _ := io.ReadFull(f, magic)
	if string(magic[:n]) != "SQLite format 3\x00" {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			f.Close()
			return nil, nil, &files.Error{Op: "read", Path: path, Reason: err.Error(), Err: err}
		}
		return f, func() { f.Close() }, nil
	}
	f.Close()
	r, w := io.Pipe()
	go func() { w.CloseWithError(databaseReport(ctx, path, w)) }()
	return r, func() { r.Close() }, nil
}

func databaseReport(ctx context.Context, path string, w io.Writer) error {
	var out *qualify.Writer
	_, err := files.ReadDatabase(ctx, path, func(h *qualify.Head) (err error) {
		h.Brief = false
		out, err = qualify.NewWriter(w, *h)
		return err
	}, func(f *qualify.File) error { return out.Add(f) })
	if err != nil {
		return err
	}
	_, err = out.Close()
	return err
}

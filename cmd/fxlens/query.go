package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"fxlens/core/files"
)

// queryDoc is the JSON of query.
type queryDoc struct {
	Schema  string   `json:"schema"` // fxlens.query/1
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // null, number, text; blobs as X'hex'
}

func (a *app) queryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "query DB SQL",
		Short: "ask a report database",
		Long: `query runs one SELECT on a database that "fxlens qualify --db" wrote, and prints the rows.
Tables: files, axes, permutations, bodies, passes, units, stages, programs,
instructions, resources, bindings, diagnostics, meta; views: effects, shaders, digests.
docs/qualification.md describes them.`,
		Example: `  fxlens query corpus.db "select distinct path, technique, stage from shaders join instructions using (program)
    where opcode like 'gather4%' and dimension = 'texturecubearray'"
  fxlens query corpus.db "select code, count(*) n from diagnostics group by code order by n desc"`,
		Args: exactly(2, "name a database and a statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc := queryDoc{Schema: "fxlens.query/1", Rows: [][]any{}}
			var t table
			err := files.Query(cmd.Context(), args[0], args[1], func(cols []string) error {
				doc.Columns = cols
				t.add(cols...)
				return nil
			}, func(row []any) error {
				out, cells := make([]any, len(row)), make([]string, len(row))
				for i, v := range row {
					out[i], cells[i] = sqlValue(v)
				}
				if a.json {
					doc.Rows = append(doc.Rows, out)
				} else {
					t.add(cells...)
				}
				return nil
			})
			if errors.Is(err, files.ErrSQL) {
				return usagef("%v", err)
			}
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(doc)
			}
			a.print("%s", t.String())
			return nil
		},
	}
}

// sqlValue is a value of a row for JSON and as text.
func sqlValue(v any) (any, string) {
	switch v := v.(type) {
	case nil:
		return nil, ""
	case []byte:
		s := fmt.Sprintf("X'%x'", v)
		return s, s
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return s, s
		}
		return v, s
	}
	return v, fmt.Sprint(v)
}

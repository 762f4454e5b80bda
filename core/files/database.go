package files

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite" // also registers the driver "sqlite"

	"fxlens/core/qualify"
)

// DatabaseSchema names the form of report databases; it is in the table meta.
const DatabaseSchema = "fxlens.corpus/1"

// databaseTables is the form of a report database. Facts hang on what they follow from:
// those of a program on its digest, those of a pass on its unit (a digest of programs,
// names and options), and only places on the file. So equal things of several effects
// are one row, and a body's digest, which means something inside its effect only, joins
// nothing.
const databaseTables = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
  kind TEXT NOT NULL, status TEXT NOT NULL, selected_status TEXT NOT NULL,
  version INTEGER, compiler TEXT, source_hash TEXT, permutations INTEGER, default_permutation INTEGER,
  unique_records INTEGER, unique_bodies INTEGER,
  package_profile TEXT, package_sha256 TEXT, package_size INTEGER, package_reason TEXT,
  result BLOB NOT NULL);
CREATE TABLE axes(file_id INTEGER NOT NULL, axis INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
  option INTEGER NOT NULL, value TEXT NOT NULL, is_default INTEGER NOT NULL,
  PRIMARY KEY(file_id, axis, option)) WITHOUT ROWID;
CREATE TABLE permutations(file_id INTEGER NOT NULL, permutation INTEGER NOT NULL, body TEXT NOT NULL, options TEXT NOT NULL,
  PRIMARY KEY(file_id, permutation)) WITHOUT ROWID;
CREATE TABLE bodies(file_id INTEGER NOT NULL, body TEXT NOT NULL, sha256 TEXT NOT NULL, status TEXT NOT NULL,
  permutations INTEGER NOT NULL, PRIMARY KEY(file_id, body)) WITHOUT ROWID;
CREATE TABLE passes(file_id INTEGER NOT NULL, body TEXT NOT NULL, ordinal INTEGER NOT NULL, technique TEXT NOT NULL,
  nth INTEGER NOT NULL, pass INTEGER NOT NULL, library INTEGER NOT NULL, unit TEXT NOT NULL,
  PRIMARY KEY(file_id, body, ordinal)) WITHOUT ROWID;
CREATE TABLE units(unit TEXT PRIMARY KEY, status TEXT NOT NULL, layout_sha256 TEXT, transforms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE stages(unit TEXT NOT NULL, ordinal INTEGER NOT NULL, stage TEXT NOT NULL, program TEXT NOT NULL, status TEXT NOT NULL,
  wgsl_sha256 TEXT, wgsl_bytes INTEGER NOT NULL, features TEXT NOT NULL, limits TEXT NOT NULL,
  PRIMARY KEY(unit, ordinal)) WITHOUT ROWID;
CREATE TABLE programs(program TEXT PRIMARY KEY, size INTEGER NOT NULL, profile TEXT NOT NULL, instructions INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE instructions(program TEXT NOT NULL, opcode TEXT NOT NULL, dimension TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(opcode, dimension, program)) WITHOUT ROWID;
CREATE TABLE resources(program TEXT NOT NULL, ordinal INTEGER NOT NULL, class TEXT NOT NULL, register INTEGER NOT NULL, last INTEGER NOT NULL,
  space INTEGER NOT NULL, kind TEXT NOT NULL, dimension TEXT NOT NULL, stride INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY(program, ordinal)) WITHOUT ROWID;
CREATE TABLE bindings(unit TEXT NOT NULL, identity TEXT NOT NULL, kind TEXT NOT NULL, "group" INTEGER NOT NULL, binding INTEGER NOT NULL,
  register INTEGER NOT NULL, space INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, visibility TEXT NOT NULL,
  format TEXT NOT NULL, format_from TEXT NOT NULL, PRIMARY KEY(unit, "group", binding)) WITHOUT ROWID;
CREATE TABLE diagnostics(id INTEGER PRIMARY KEY, file_id INTEGER, unit TEXT, code TEXT NOT NULL, severity TEXT NOT NULL,
  stage TEXT NOT NULL, instr INTEGER, offset INTEGER, message TEXT NOT NULL, remedy TEXT NOT NULL);
CREATE INDEX passes_unit ON passes(unit);
CREATE INDEX stages_program ON stages(program);
CREATE INDEX diagnostics_code ON diagnostics(code);
CREATE VIEW effects AS SELECT * FROM files WHERE kind = 'effect';
CREATE VIEW shaders AS
  SELECT f.path, p.body, p.technique, p.pass, s.stage, s.status, s.program, g.profile, g.instructions, s.wgsl_bytes, s.unit
  FROM passes p JOIN files f ON f.id = p.file_id JOIN stages s ON s.unit = p.unit JOIN programs g ON g.program = s.program;
CREATE VIEW digests AS
  SELECT 'file' AS what, path AS name, sha256 FROM files
  UNION ALL SELECT 'package', path, package_sha256 FROM files WHERE package_sha256 <> ''
  UNION ALL SELECT 'body', f.path || ' ' || b.body, b.sha256 FROM bodies b JOIN files f ON f.id = b.file_id WHERE b.sha256 <> ''
  UNION ALL SELECT 'program', profile, program FROM programs
  UNION ALL SELECT 'wgsl', unit || ' ' || stage, wgsl_sha256 FROM stages WHERE wgsl_sha256 <> ''
  UNION ALL SELECT 'layout', unit, layout_sha256 FROM units WHERE layout_sha256 <> '';
`

var databaseInserts = map[string]string{
	"file":        `INSERT INTO files VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
	"axis":        `INSERT INTO axes VALUES(?,?,?,?,?,?,?)`,
	"permutation": `INSERT INTO permutations VALUES(?,?,?,?)`,
	"body":        `INSERT INTO bodies VALUES(?,?,?,?,?)`,
	"pass":        `INSERT INTO passes VALUES(?,?,?,?,?,?,?,?)`,
	"unit":        `INSERT OR IGNORE INTO units VALUES(?,?,?,?)`,
	"stage":       `INSERT INTO stages VALUES(?,?,?,?,?,?,?,?,?)`,
	"program":     `INSERT OR IGNORE INTO programs VALUES(?,?,?,?)`,
	"instruction": `INSERT INTO instructions VALUES(?,?,?,?)`,
	"resource":    `INSERT INTO resources VALUES(?,?,?,?,?,?,?,?,?,?)`,
	"binding":     `INSERT OR IGNORE INTO bindings VALUES(?,?,?,?,?,?,?,?,?,?,?,?)`,
	"diagnostic":  `INSERT INTO diagnostics VALUES(NULL,?,?,?,?,?,?,?,?,?)`,
}

// Database writes a report as an SQLite file. The same files in the same order give the
// same bytes.
type Database struct {
	path, tmp string
	db        *sql.DB
	tx        *sql.Tx
	insert    map[string]*sql.Stmt
	files     int64
	err       error
}

func databaseError(path string, err error) *Error {
	e := &Error{Op: "database", Path: path, Reason: err.Error(), Err: err}
	var se *sqlite.Error
	if errors.As(err, &se) && se.Code() == sqliteFull {
		e.Op, e.Reason, e.Remedy = "write", "no space left on device", noRoom
	}
	return e
}

// sqliteFull is SQLite's result code SQLITE_FULL.
const sqliteFull = 13

func openSQL(path string, query url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// CreateDatabase begins a database that will be at path when it is finished; an older
// one stays until then. Call Finish or Discard.
func CreateDatabase(path string, head qualify.Head) (*Database, error) {
	target, mode, err := writeTarget(path, true)
	if err != nil {
		return nil, err
	}
	f, err := createBeside(target, mode)
	if err != nil {
		return nil, osError("database", path, err)
	}
	f.Close()
	d := &Database{path: target, tmp: f.Name(), insert: map[string]*sql.Stmt{}}
	if err := d.begin(head); err != nil {
		d.Discard()
		return nil, databaseError(path, err)
	}
	return d, nil
}

func (d *Database) begin(head qualify.Head) (err error) {
	// The file is nobody's until it is renamed: no journal, no sync before the end.
	q := url.Values{"_pragma": {"journal_mode(off)", "synchronous(off)", "page_size(4096)", "temp_store(memory)", "locking_mode(exclusive)"}}
	if d.db, err = openSQL(d.tmp, q); err != nil {
		return err
	}
	if d.tx, err = d.db.Begin(); err != nil {
		return err
	}
	if _, err := d.tx.Exec(databaseTables); err != nil {
		return err
	}
	for name, text := range databaseInserts {
		if d.insert[name], err = d.tx.Prepare(text); err != nil {
			return err
		}
	}
	doc, err := json.Marshal(head)
	if err != nil {
		return err
	}
	_, err = d.tx.Exec(`INSERT INTO meta VALUES('schema',?),('head',?)`, DatabaseSchema, string(doc))
	return err
}

// run inserts a row unless something failed before, and returns the number of rows.
func (d *Database) run(name string, args ...any) int64 {
	if d.err != nil {
		return 0
	}
	res, err := d.insert[name].Exec(args...)
	if err != nil {
		d.err = fmt.Errorf("%s: %w", name, err)
		return 0
	}
	n, err := res.RowsAffected()
	d.err = err
	return n
}

// Add writes the result of one file. Files come in the order of their paths.
func (d *Database) Add(f *qualify.File) error {
	blob, err := pack(f)
	if err != nil {
		return databaseError(d.path, err)
	}
	d.files++
	id := d.files
	e, p := f.Effect, f.Package
	if e == nil {
		e = &qualify.Effect{}
	}
	if p == nil {
		p = &qualify.Package{}
	}
	d.run("file", id, f.Path, f.SHA256, f.Size, f.Kind, f.Status.String(), f.Selected().String(),
		e.Version, e.CompilerVersion, e.SourceHash, e.Permutations, e.Default, e.Records, e.Contents,
		p.Profile, p.SHA256, p.Size, p.Reason, blob)
	for i, a := range e.Axes {
		for k, o := range a.Options {
			d.run("axis", id, i, a.Name, a.Type, k, o, k == a.Default)
		}
	}
	for i := range f.Bodies {
		b := &f.Bodies[i]
		d.run("body", id, b.Key, b.SHA256, b.Status.String(), len(b.Permutations))
		for _, perm := range b.Permutations {
			d.run("permutation", id, perm, b.Key, e.Options(perm))
		}
		for k, ps := range b.Passes {
			if ps.Unit >= 0 && ps.Unit < len(f.Units) {
				d.run("pass", id, b.Key, k, ps.Technique, ps.Nth, ps.Pass, ps.Library, f.Units[ps.Unit].Key)
			}
		}
	}
	for _, x := range f.Diagnostics {
		d.diagnostic(id, nil, x)
	}
	for _, u := range f.Units {
		d.unit(u)
	}
	for _, g := range f.Programs {
		if d.run("program", g.SHA256, g.Size, g.Profile, g.Instructions) == 0 {
			continue // another file has it
		}
		for _, o := range g.Opcodes {
			d.run("instruction", g.SHA256, o.Op, o.Dim, o.Count)
		}
		for i, r := range g.Resources {
			d.run("resource", g.SHA256, i, r.Class, r.Register, r.Last, r.Space, r.Kind, r.Dim, r.Stride, r.Size)
		}
	}
	if d.err != nil {
		return databaseError(d.path, fmt.Errorf("%s: %w", f.Path, d.err))
	}
	return nil
}

func (d *Database) diagnostic(file, unit any, x qualify.Diag) {
	var instr, offset any
	if x.Instr != nil {
		instr = *x.Instr
	}
	if x.Offset != nil {
		offset = *x.Offset
	}
	d.run("diagnostic", file, unit, x.Code, x.Severity, x.Stage, instr, offset, x.Message, x.Remedy)
}

func (d *Database) unit(u *qualify.Unit) {
	if d.run("unit", u.Key, u.Status.String(), u.Layout, u.Transforms) == 0 {
		return // another file has it
	}
	for i, s := range u.Stages {
		if s.Limits == nil { // what is fresh has an empty map where what was read back has none
			s.Limits = map[string]int{}
		}
		limits, err := json.Marshal(s.Limits)
		if err != nil {
			d.err = err
			return
		}
		d.run("stage", u.Key, i, s.Stage, s.Program, s.Status.String(), s.WGSL, s.WGSLBytes,
			strings.Join(append(append([]string{}, s.Features...), s.Language...), " "), string(limits))
	}
	for _, b := range u.Bindings {
		d.run("binding", u.Key, b.Identity, b.Kind, b.Group, b.Binding, b.Register, b.Space, b.Name, b.Type,
			strings.Join(b.Visibility, " "), b.Format, b.FormatFrom)
	}
	for _, x := range u.Diagnostics {
		d.diagnostic(nil, u.Key, x)
	}
}

// Finish writes the summary and gives the database its name.
func (d *Database) Finish(s *qualify.Summary) error {
	defer d.Discard()
	doc, err := json.Marshal(s)
	if err != nil {
		return databaseError(d.path, err)
	}
	if _, err := d.tx.Exec(`INSERT INTO meta VALUES('summary',?)`, string(doc)); err != nil {
		return databaseError(d.path, err)
	}
	err = d.tx.Commit()
	d.tx = nil
	if err != nil {
		return databaseError(d.path, err)
	}
	err = d.db.Close()
	d.db = nil
	if err != nil {
		return databaseError(d.path, err)
	}
	if err := syncFile(d.tmp); err != nil {
		return osError("database", d.path, err)
	}
	if err := os.Rename(d.tmp, d.path); err != nil {
		return osError("database", d.path, err)
	}
	d.tmp = ""
	syncFolder(filepath.Dir(d.path))
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Discard drops an unfinished database. After Finish it does nothing.
func (d *Database) Discard() {
	if d.tx != nil {
		_ = d.tx.Rollback()
		d.tx = nil
	}
	if d.db != nil {
		d.db.Close()
		d.db = nil
	}
	if d.tmp != "" {
		os.Remove(d.tmp)
		d.tmp = ""
	}
}

// pack is the result as the report has it, deflated.
func pack(f *qualify.File) ([]byte, error) {
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// maxResult bounds what a result may inflate to, in bytes.
const maxResult = 1 << 30

// ReadDatabase gives the head of the report in a database to started, then its results to
// visit, in the order of their paths.
func ReadDatabase(ctx context.Context, path string, started func(*qualify.Head) error, visit func(*qualify.File) error) (*qualify.Head, error) {
	db, err := openRead(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var schema, doc string
	head := new(qualify.Head)
	if err := db.QueryRowContext(ctx, `SELECT (SELECT value FROM meta WHERE key='schema'), (SELECT value FROM meta WHERE key='head')`).Scan(&schema, &doc); err != nil {
		return nil, notDatabase(path, err)
	}
	if schema != DatabaseSchema {
		return nil, notDatabase(path, fmt.Errorf("its schema is %.40q, not %s", schema, DatabaseSchema))
	}
	if err := json.Unmarshal([]byte(doc), head); err != nil {
		return nil, notDatabase(path, err)
	}
	if err := started(head); err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT path, result FROM files ORDER BY id`)
	if err != nil {
		return nil, notDatabase(path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var blob []byte
		if err := rows.Scan(&name, &blob); err != nil {
			return nil, notDatabase(path, err)
		}
		f := new(qualify.File)
		if err := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(blob)), maxResult)).Decode(f); err != nil {
			return nil, notDatabase(path, fmt.Errorf("%s: %w", name, err))
		}
		if err := visit(f); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, notDatabase(path, err)
	}
	return head, nil
}

func notDatabase(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Op: "read", Path: path, Reason: "not a report database: " + err.Error(), Remedy: "make one with `fxlens qualify --db FILE`", Err: err}
}

func openRead(path string) (*sql.DB, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, osError("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular("read", path, info.Mode())
	}
	db, err := openSQL(path, url.Values{"mode": {"ro"}, "immutable": {"1"}, "_pragma": {"query_only(1)"}})
	if err != nil {
		return nil, databaseError(path, err)
	}
	return db, nil
}

// ErrSQL marks a statement that SQLite refuses.
var ErrSQL = errors.New("the statement was refused")

// Query runs one statement on a database, which it only reads. head gets the names of
// the columns, row the values of each row: nil, int64, float64, string or []byte. It
// fails, wrapping ErrSQL, on what SQLite refuses.
func Query(ctx context.Context, path, statement string, head func([]string) error, row func([]any) error) error {
	db, err := openRead(path)
	if err != nil {
		return err
	}
	defer db.Close()
	// ATTACH and the like would reach other files; a report is one file.
	if word := firstWord(statement); word != "select" && word != "with" && word != "explain" && word != "values" {
		return fmt.Errorf("%w: only SELECT, WITH, VALUES and EXPLAIN are run, not %q", ErrSQL, word)
	}
	var n int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&n); err != nil {
		return notDatabase(path, err)
	}
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return queryError(ctx, err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return queryError(ctx, err)
	}
	if err := head(cols); err != nil {
		return err
	}
	values, into := make([]any, len(cols)), make([]any, len(cols))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return queryError(ctx, err)
		}
		if err := row(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return queryError(ctx, err)
	}
	return nil
}

func queryError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrSQL, err)
}

// firstWord is the first word of a statement, lower case, comments skipped.
func firstWord(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n;(")
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			end := strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
			if end < 0 {
				end = len(s)
			}
			return strings.ToLower(s[:end])
		}
	}
}

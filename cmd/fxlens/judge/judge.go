// Package judge runs the node scripts of testdata/tools, which put questions to
// Google's Dawn: whether WGSL is valid, and what it computes on a software Vulkan
// driver, SwiftShader. The scripts and their one npm package are not part of the
// binary; [Find] says how to install them.
package judge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"fxlens/core/gpu"
)

// ErrMissing marks a part of the judge that is not installed.
var ErrMissing = errors.New("the WebGPU judge is not installed")

// Remedy says how to install it.
const Remedy = "run scripts/setup in a copy of fxlens' sources (or `npm ci --ignore-scripts` in its testdata/tools)"

// Judge is an installed judge.
type Judge struct {
	node string
	dir  string // the folder with the scripts
}

// Find looks for node and for the scripts: in the named folder, else in
// testdata/tools of the working directory, of the program's folder, or of one above
// them. It fails with an error that wraps ErrMissing and says what to do.
func Find(dir string) (*Judge, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w: node is not in PATH; install Node.js, then %s", ErrMissing, Remedy)
	}
	if dir == "" {
		var from []string
		if wd, err := os.Getwd(); err == nil {
			from = append(from, wd)
		}
		if exe, err := os.Executable(); err == nil {
			from = append(from, filepath.Dir(exe))
		}
		if dir = above(from); dir == "" {
			return nil, fmt.Errorf("%w: there is no testdata/tools above this folder or the program; %s, or name the folder with --judge", ErrMissing, Remedy)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "exec.mjs")); err != nil {
		return nil, fmt.Errorf("%w: %s has no exec.mjs; name testdata/tools of a copy of fxlens' sources", ErrMissing, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "webgpu")); err != nil {
		return nil, fmt.Errorf("%w: the npm package webgpu is not in %s; %s", ErrMissing, dir, Remedy)
	}
	return &Judge{node, dir}, nil
}

// Dir is the folder with the scripts.
func (j *Judge) Dir() string { return j.dir }

// above finds testdata/tools in one of the folders or above it.
func above(from []string) string {
	for _, dir := range from {
		for {
			tools := filepath.Join(dir, "testdata", "tools")
			if _, err := os.Stat(filepath.Join(tools, "exec.mjs")); err == nil {
				return tools
			}
			up := filepath.Dir(dir)
			if up == dir {
				break
			}
			dir = up
		}
	}
	return ""
}

// Driver says whether there is a Vulkan driver to run on: FXLENS_VK_ICD or
// VK_ICD_FILENAMES names one, else Chromium's SwiftShader is looked for.
func Driver() error {
	if os.Getenv("FXLENS_VK_ICD") != "" || os.Getenv("VK_ICD_FILENAMES") != "" {
		return nil
	}
	if found, _ := filepath.Glob("/usr/lib/chromium*/vk_swiftshader_icd.json"); len(found) > 0 {
		return nil
	}
	return fmt.Errorf("%w: there is no SwiftShader in /usr/lib/chromium; install Chromium (on Debian: apt-get install chromium), or set FXLENS_VK_ICD to a Vulkan driver's JSON file", ErrMissing)
}

// Run executes the jobs and returns one outcome for each, in order.
func (j *Judge) Run(ctx context.Context, jobs []gpu.Job) ([]gpu.Outcome, error) {
	if err := Driver(); err != nil {
		return nil, err
	}
	return Ask[gpu.Job, gpu.Outcome](ctx, j, "exec.mjs", jobs)
}

// Ask sends one JSON line per question to a script and reads one JSON line per
// answer back, in the same order.
func Ask[Q, A any](ctx context.Context, j *Judge, script string, questions []Q) ([]A, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var in, errOut bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, q := range questions {
		if err := enc.Encode(q); err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, j.node, filepath.Join(j.dir, script), "--jobs", "2")
	cmd.Dir = j.dir
	cmd.Stdin, cmd.Stderr = &in, &errOut
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("judge: %w", ctx.Err())
		}
		return nil, fmt.Errorf("judge: %s: %w\n%s", script, err, errOut.String())
	}
	answers := make([]A, 0, len(questions))
	lines := bufio.NewReader(bytes.NewReader(out))
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var a A
			if err := json.Unmarshal(line, &a); err != nil {
				return nil, fmt.Errorf("judge: %s answered %.200q: %w", script, line, err)
			}
			answers = append(answers, a)
		}
		if err != nil {
			break
		}
	}
	if len(answers) != len(questions) {
		return nil, fmt.Errorf("judge: %s gave %d answers to %d questions\n%s", script, len(answers), len(questions), errOut.String())
	}
	return answers, nil
}

package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// stream is work that reports while it runs. Its reports become messages one after the
// other, the latest one where the screen is slower than the work.
type stream[T any] struct {
	reports chan T
	ended   chan struct{}
	last    T
	err     error
}

// report is what comes of a stream: a report, or at the end the result.
type report[T any] struct {
	gen  int
	of   T
	err  error
	done bool
	next tea.Cmd // waits for the report after this one; nil at the end
}

// start runs work in its own goroutine and returns the command that waits for its first
// report. wrap makes a message of a report. A stream whose context has ended says
// nothing more.
func start[T any](ctx context.Context, gen int, work func(ctx context.Context, see func(T)) (T, error), wrap func(report[T]) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		s := &stream[T]{reports: make(chan T, 1), ended: make(chan struct{})}
		go func() {
			defer close(s.ended)
			s.last, s.err = work(ctx, func(v T) {
				select {
				case <-s.reports: // nobody has seen it
				default:
				}
				s.reports <- v
			})
		}()
		return s.wait(ctx, gen, wrap)
	}
}

func (s *stream[T]) wait(ctx context.Context, gen int, wrap func(report[T]) tea.Msg) tea.Msg {
	select {
	case v := <-s.reports:
		if ctx.Err() != nil {
			return nil
		}
		return wrap(report[T]{gen: gen, of: v, next: func() tea.Msg { return s.wait(ctx, gen, wrap) }})
	case <-s.ended:
		if ctx.Err() != nil {
			return nil
		}
		return wrap(report[T]{gen: gen, of: s.last, err: s.err, done: true})
	}
}

package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/session"
)

// An edit of any sidecar says what was asked, keeps the other table, and can be taken back;
// or it is refused.
func FuzzSidecar(f *testing.F) {
	f.Add("", "t0", "R32_UINT")
	f.Add("# why\n[views]\nt0 = \"R32_UINT\"  # because\n\"Main/0/ps/t1\" = 'R32_SINT'\n\n[classes]\nfp0 = \"A\"\n", "t0", "x\"\\\n")
	f.Add("[views]\n[bookmarks]\na = '''\n[views]\nt0 = 1\n'''", "t 0", "\u202e\x00")
	f.Add("views.t0 = 'x'", "t0", "y")
	f.Add("views = { t0 = 'x' }", "t0", "y")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		before, err := session.ParseSidecar([]byte(text))
		if err != nil {
			_, err := session.EditSidecar([]byte(text), "views", key, &value)
			require.Error(t, err)
			return
		}
		out, err := session.EditSidecar([]byte(text), "views", key, &value)
		if err != nil {
			return
		}
		after, err := session.ParseSidecar(out)
		require.NoError(t, err, "%q", out)
		assert.Equal(t, value, after.Views[key])
		assert.Equal(t, before.Classes, after.Classes)
		gone, err := session.EditSidecar(out, "views", key, nil)
		if err != nil {
			return
		}
		back, err := session.ParseSidecar(gone)
		require.NoError(t, err, "%q", gone)
		delete(before.Views, key)
		assert.Len(t, back.Views, len(before.Views))
		for k, v := range before.Views {
			assert.Equal(t, v, back.Views[k])
		}
	})
}

package qualify

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMissingShards(t *testing.T) {
	for name, c := range map[string]struct{ have, want []string }{
		"whole reports":     {[]string{"", ""}, nil},
		"all":               {[]string{"2/3", "1/3", "3/3"}, nil},
		"one gone":          {[]string{"3/3", "1/3"}, []string{"2/3"}},
		"one twice":         {[]string{"1/3", "1/3", "2/3"}, []string{"3/3"}},
		"of two cuts":       {[]string{"1/2", "3/3"}, []string{"2/2", "1/3", "2/3"}},
		"beside a whole":    {[]string{"", "2/2"}, []string{"1/2"}},
		"not what we write": {[]string{"9/3", "x"}, nil},
	} {
		assert.Equal(t, c.want, MissingShards(c.have), name)
	}
}

# Shared by the scripts here; sourced, not run. POSIX sh.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

# A CI job may start without a home; Go's caches need one.
if [ -z "${HOME:-}" ]; then
	HOME=$(getent passwd "$(id -u)" | cut -d: -f6) || HOME=
	[ -n "$HOME" ] && [ -w "$HOME" ] || HOME=${TMPDIR:-/tmp}/fxlens-home
	mkdir -p "$HOME"
	export HOME
fi

# The version in the binary comes from our own source, never from git, which
# refuses to answer in a checkout that another user owns. The rest are the flags of
# a release, so that whatever builds the program here shares one build cache.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false -trimpath" CGO_ENABLED=0

say() { printf '== %s\n' "$*" >&2; }
die() {
	printf 'fxlens: %s\n' "$*" >&2
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# need_go puts Go in the path. Any Go from 1.21 on fetches the one that go.mod
# asks for from the module proxy.
need_go() {
	has go || PATH=$PATH:/usr/local/go/bin:$HOME/go/bin
	has go || die 'Go is not installed: get 1.26 or newer from https://go.dev/dl and put its bin folder into PATH'
	export PATH
}

# release_go has Go fetch the toolchain of go.mod, also where GOTOOLCHAIN says otherwise:
# what is released has that standard library, whatever Go built it.
release_go() {
	GOTOOLCHAIN=$(sed -n 's/^toolchain //p' go.mod)
	export GOTOOLCHAIN
}

# as_root runs a command as root, by sudo where we are not.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif has sudo; then
		sudo "$@"
	else
		die "run this as root (or install sudo): $*"
	fi
}

# apt_install installs Debian packages, as root or by sudo.
apt_install() {
	has apt-get || die "these are missing and there is no apt-get to install them: $*"
	say "installing Debian packages: $*"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update </dev/null >&2
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@" </dev/null >&2
}

# need_certs lets Go reach the module proxy: a smallest Debian knows no certificate authority.
need_certs() {
	if [ -z "${SSL_CERT_FILE:-}" ] && has apt-get && [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
		apt_install ca-certificates
	fi
}

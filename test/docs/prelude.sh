# Read before the blocks of a page. Each command that fails is noted with its lines; the page goes on.
exec 2>&1
set -E -o pipefail
trap 'printf "%s\t%s\t%s\n" "$?" "$LINENO ${BASH_LINENO[*]}" "${BASH_COMMAND//$'"'\n'"'/ }" >>"$FAILURES"' ERR
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

block() { printf '\n\036%s\n' "$1"; }

# An answer of 400 or more is a failure.
curl() { command curl --fail-with-body --max-time 20 "$@"; }

# The server is started already; commands run in the process of the test, which has loaded them.
npm() {
  case "$*" in
    ci) ;;
    start) cat "$SCREEN" ;;
    'run admin -- '*) run_admin "${@:4}" ;;
    'run --silent admin -- '*) run_admin "${@:5}" ;;
    *) echo "npm $*: the test does not run this" && return 1 ;;
  esac
}

run_admin() {
  local said
  said=$(mktemp)
  command curl --silent --data-binary @- -H "x-words: $(printf '%s\0' "$@" | base64 --wrap=0)" -H "x-folder: $PWD" -H "x-said: $said" "$COMMANDS"
  cat "$said" >&2
  return "$(cat "$said.code")"
}

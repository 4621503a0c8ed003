#!/bin/sh
# Sows faults into files of floors 0 to 2 and says which of them no test of those floors finds.
#   sh tests/mutants/run.sh FILE... -- OPTIONS OF cargo-mutants
#   sh tests/mutants/run.sh FILE... -- --sample N OPTIONS OF sample.py
# The second way takes N faults at random, builds all of them at once and says what share is found.
# It works on a copy under target/mutants: a run that is cut short leaves no fault in the checkout.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD version=27.1.0 tools=$PWD/target/tools tree=$PWD/target/mutants/tree
export CARGO_PROFILE_DEV_DEBUG=0 # Nobody debugs a fault: a build takes two thirds of the time.

if ! "$tools/bin/cargo-mutants" mutants --version 2>/dev/null | grep -q " $version"; then
	echo "Building cargo-mutants $version into target/tools: some minutes, the first time." >&2
	cargo install cargo-mutants --version "$version" --locked --quiet --root "$tools"
fi

# The copy. Files that did not change keep their times, so that cargo builds little.
mkdir -p "$tree"
git ls-files -z Cargo.toml Cargo.lock clippy.toml .cargo crates scenarios scripts papers |
	xargs -0 tar cf - | (cd "$tree" && tar xf - --skip-old-files)
git ls-files Cargo.toml Cargo.lock .cargo crates scenarios scripts papers | while read -r file; do
	cmp -s "$file" "$tree/$file" || cp "$file" "$tree/$file"
done

# cargo-mutants follows `mod`, not `registry!`: the copy names the registry's modules once more, for its eyes only.
grep -rl --include='*.rs' '^registry! {' crates/dumbbell-algos/src | while read -r file; do
	sed -n '/^registry! {/,/^}/p' "$file" | grep -o '[a-z_0-9]*::[A-Z]' | cut -d: -f1 |
		sed 's/.*/#[cfg(any())]\npub mod &;/' >>"$tree/$file"
done

cd "$tree"
files=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	[ -f "$1" ] || { echo "there is no file $1; write FILE=crates/dumbbell-tcp/src/rtt.rs" >&2; exit 2; }
	files="$files --file $1"
	shift
done
[ $# -eq 0 ] || shift
if [ -z "$files" ]; then
	for floor in core algos tcp quic; do
		files="$files --file crates/dumbbell-$floor/src/**/*.rs"
	done
fi
set -f
if [ "${1-}" != --sample ]; then
	# shellcheck disable=SC2086
	exec nice "$tools/bin/cargo-mutants" mutants --in-place --output "$root/target/mutants" $files "$@"
fi
out=$root/target/mutants
# shellcheck disable=SC2086
"$tools/bin/cargo-mutants" mutants --list --json $files >"$out/list.json"
extents=$root/tests/mutants/extents
[ "$extents/Cargo.lock" -nt "$root/Cargo.lock" ] || cp "$root/Cargo.lock" "$extents/Cargo.lock"
cargo build --quiet --manifest-path "$extents/Cargo.toml" --target-dir "$out/extents"
exec nice "${PYTHON:-python3}" "$root/tests/mutants/sample.py" --list "$out/list.json" --tree "$tree" \
	--out "$out" --extents "$out/extents/debug/extents" "$@"

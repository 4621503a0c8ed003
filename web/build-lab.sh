#!/bin/sh
# Builds the module of the browser's laboratory and prints its path: with rustup's target
# wasm32-unknown-unknown if it is installed, else with Debian's rustc-web and rust-web-src.
# Exit code 3: neither is there.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-target}/lab
if rustup target list --installed 2>/dev/null | grep -q "^$target$"; then
  cargo=cargo
elif [ -d /usr/lib/rustlib/src/rust/library ] && [ -x /usr/bin/wasm-ld ]; then
  # The standard library is built from its source, which a stable compiler permits for its own.
  PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
  export PATH RUSTC_BOOTSTRAP CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
  cargo=/usr/bin/cargo
  std="-Z build-std=std,panic_abort"
else
  echo "the target $target is missing: 'rustup target add $target'," \
    "or on Debian 'apt-get install rustc-web cargo-web rust-web-src lld'" >&2
  exit 3
fi
# shellcheck disable=SC2086
CARGO_TARGET_DIR=$out $cargo build --quiet --profile web --target $target ${std:-} \
  -p dumbbell-web >&2
echo "$out/$target/web/dumbbell_web.wasm"

//! Blobs as a page carries them: raw deflate (RFC 1951) in Base64.
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dumbbell_results::pack::blobs::Blobs;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rayon::prelude::*;
use std::io::Write;

/// The effort of the compression: with 9, a column of reals is up to 3 % smaller.
pub const EFFORT: u32 = 6;

/// The blobs as text, compressed with this effort; 0: not at all.
pub fn texts(blobs: Blobs, effort: u32) -> Vec<String> {
    blobs.bytes().into_par_iter().map(|b| STANDARD.encode(deflate(&b, effort))).collect()
}

fn deflate(bytes: &[u8], effort: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(effort));
    // A vector takes every byte.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

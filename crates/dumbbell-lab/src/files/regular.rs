//! Reads files that a request, a scenario or a result names: regular files only.
//!
//! Opening a pipe waits for its other end, a device may have no end, and opening some devices does
//! something. So a file is checked before it is opened, and again when it is open, because its name
//! may stand for another one by then.
use rustix::fs::OFlags;
use std::fs::{File, FileType, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file to read it.
///
/// # Errors
/// An error of the system, or `InvalidInput` for anything but a regular file.
pub fn open(file: &Path) -> Result<File> {
    regular(std::fs::metadata(file)?.file_type())?;
    let safe = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(safe).open(file)?;
    regular(opened.metadata()?.file_type())?;
    Ok(opened)
}

/// The bytes of a regular file that has at most `longest` of them.
///
/// # Errors
/// As [`open`], and `FileTooLarge`.
pub fn whole(file: &Path, longest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(file)?.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", longest >> 20),
        ));
    }
    Ok(bytes)
}

fn regular(kind: FileType) -> Result<()> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a directory",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(Error::new(
        ErrorKind::InvalidInput,
        format!("it is {what}, and only regular files are read"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, [7; 10]).unwrap();
        assert_eq!(whole(&file, 10).unwrap(), [7; 10]);
        assert_eq!(whole(&file, 9).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn nothing_else_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, socket) = (dir.path().join("pipe"), dir.path().join("socket"));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for (file, says) in [
            (pipe.as_path(), "it is a pipe"),
            (&socket, "it is a socket"),
            (dir.path(), "it is a directory"),
            (Path::new("/dev/zero"), "it is a device"),
            (&link, "it is a device"),
        ] {
            let error = open(file).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().starts_with(says), "{}: {error}", file.display());
        }
    }
}

//! Archives in the format of an initial file system (cpio, "newc":
//! Documentation/driver-api/early-userspace/buffer-format.rst of the kernel).

/// An archive that grows.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

/// Kinds of entries, as the bits of a mode have them.
const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const CHARACTER_DEVICE: u32 = 0o020_000;
/// The name that ends an archive.
const TRAILER: &str = "TRAILER!!!";

impl Archive {
    fn entry(&mut self, name: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let inode = if name == TRAILER { 0 } else { self.entries + 1 };
        let fields = [
            inode,
            mode,
            0, // user
            0, // group
            1, // links
            0, // time
            content.len() as u32,
            0, // the device that it is on
            0,
            device.0,
            device.1,
            name.len() as u32 + 1,
            0, // checksum: none
        ];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend(format!("{field:08x}").bytes()));
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(content);
        self.align();
        self.entries += 1;
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Adds a folder.
    #[must_use]
    pub fn folder(mut self, name: &str) -> Archive {
        self.entry(name, FOLDER | 0o755, (0, 0), &[]);
        self
    }

    /// Adds a file with these permissions.
    #[must_use]
    pub fn file(mut self, name: &str, permissions: u32, content: &[u8]) -> Archive {
        self.entry(name, FILE | permissions, (0, 0), content);
        self
    }

    /// Adds a character device by its two numbers.
    #[must_use]
    pub fn device(mut self, name: &str, numbers: (u32, u32)) -> Archive {
        self.entry(name, CHARACTER_DEVICE | 0o600, numbers, &[]);
        self
    }

    /// The whole archive.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.entry(TRAILER, 0, (0, 0), &[]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_contents_begin_at_multiples_of_four() {
        let bytes = Archive::default().folder("dev").file("init", 0o755, b"12345").finish();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let at = |what: &str| text.find(what).expect("it is there");
        assert_eq!(bytes.len() % 4, 0);
        // A header has 110 bytes, then come the name and its zero.
        assert_eq!(at("dev\0"), 110);
        assert_eq!(at("init\0"), 116 + 110);
        assert_eq!(at("12345") % 4, 0);
        assert!(text.contains("000081ed"), "a file with 0755");
        assert!(text.contains("00000005"), "of five bytes");
        assert!(text.ends_with("TRAILER!!!\0\0\0\0"));
    }
}

//! The kind of a file descriptor, for messages about a wrong one.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::path::Path;

/// Returns what a descriptor is of, and what it should be of.
#[inline]
pub(crate) fn wrong_descriptor(descriptor: BorrowedFd<'_>, wanted: &str) -> String {
    let number = descriptor.as_raw_fd();
    described(number, std::fs::read_link(format!("/proc/self/fd/{number}")).ok().as_deref(), wanted)
}

#[inline]
fn described(number: RawFd, of: Option<&Path>, wanted: &str) -> String {
    match of {
        Some(of) if of.starts_with("/dev/nvidiactl") => format!(
            "the descriptor {number} is one of the driver, but not one of {wanted}; pools, physical memory, \
             external memory and semaphores each have their own import"
        ),
        Some(of) => {
            format!("the descriptor {number} is one of `{}`, and not one of {wanted}", of.display())
        }
        None => format!("the descriptor {number} is not one of {wanted}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_named_by_what_it_is_of() {
        let text = |of: Option<&str>| described(7, of.map(Path::new), "a pool");
        let of_driver = text(Some("/dev/nvidiactl"));
        assert!(of_driver.contains("7 is one of the driver, but not one of a pool"), "{of_driver}");
        assert_eq!(text(Some("/x")), "the descriptor 7 is one of `/x`, and not one of a pool");
        assert_eq!(text(None), "the descriptor 7 is not one of a pool");
    }

    #[test]
    #[cfg(target_os = "linux")] // where there is /proc
    #[cfg_attr(miri, ignore = "Miri has no /proc")]
    fn a_descriptor_is_looked_up() {
        use std::os::fd::AsFd;
        let file = std::fs::File::open("/dev/null").unwrap();
        let text = wrong_descriptor(file.as_fd(), "a pool");
        assert!(text.contains("is one of `/dev/null`, and not one of a pool"), "{text}");
    }
}

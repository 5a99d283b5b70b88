//! The kind of a file descriptor, for messages about a wrong one.

/// Returns what a descriptor is of, and what it should be of.
#[inline]
pub(crate) fn wrong_descriptor(descriptor: std::os::fd::BorrowedFd<'_>, wanted: &str) -> String {
    use std::os::fd::AsRawFd;
    let number = descriptor.as_raw_fd();
    match std::fs::read_link(format!("/proc/self/fd/{number}")) {
        Ok(of) if of.starts_with("/dev/nvidiactl") => format!(
            "the descriptor {number} is one of the driver, but not one of {wanted}; pools, physical memory, \
             external memory and semaphores each have their own import"
        ),
        Ok(of) => {
            format!("the descriptor {number} is one of `{}`, and not one of {wanted}", of.display())
        }
        Err(_) => format!("the descriptor {number} is not one of {wanted}"),
    }
}

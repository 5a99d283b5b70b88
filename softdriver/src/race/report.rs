//! The report of a race.

use super::Access;
use std::fmt;

/// One of the two operations of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The driver call, or the kernel, or what a node of a graph does.
    pub name: String,
    /// The stream, as `cuStreamGetId` tells it; none for what the host does itself.
    pub stream: Option<u64>,
    /// The access to the memory.
    pub access: Access,
}

/// Two operations that touch the same memory while nothing orders them, or in spite of a free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The earlier operation.
    pub first: Operation,
    /// The later operation.
    pub second: Operation,
    /// The first address that both touch.
    pub address: u64,
    /// How many bytes from there on.
    pub bytes: u64,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream {
            Some(stream) => write!(f, "{} in stream {stream}", self.name)?,
            None => write!(f, "{} of the host", self.name)?,
        }
        write!(f, " ({})", self.access)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, address, bytes } = self;
        write!(f, "race: {first} and {second}: {bytes} bytes at {address:#x}")
    }
}

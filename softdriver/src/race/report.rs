//! The report of a race.

use std::fmt;

/// An operation's access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Changes it atomically: no race with its like.
    Atomic,
    /// Allocates it in the order of a stream.
    Allocate,
    /// Frees it.
    Free,
}

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

impl Access {
    /// Whether two are a race where nothing orders them.
    pub(super) fn conflicts(self, other: Self) -> bool {
        !matches!((self, other), (Self::Read, Self::Read) | (Self::Atomic, Self::Atomic))
    }

    /// Whether whoever is in a race with `other` is in one with this too.
    pub(super) fn stands_for(self, other: Self) -> bool {
        self == other || !matches!(self, Self::Read | Self::Atomic)
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Atomic => "changes atomically",
            Self::Allocate => "allocates",
            Self::Free => "frees",
        })
    }
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

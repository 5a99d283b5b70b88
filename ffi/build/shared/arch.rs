//! The architectures that CUDA has on Linux.

/// An architecture that has a CUDA driver and an NVRTC on Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arch {
    X86_64,
    Aarch64,
}

impl Arch {
    /// `e_machine` of an ELF file for this architecture.
    pub(crate) fn machine(self) -> u16 {
        match self {
            Arch::X86_64 => 62,
            Arch::Aarch64 => 183,
        }
    }

    /// The folders under `targets/` of a toolkit that hold libraries for this architecture.
    pub(crate) fn toolkit_folders(self) -> &'static [&'static str] {
        match self {
            Arch::X86_64 => &["x86_64-linux"],
            Arch::Aarch64 => &["sbsa-linux", "aarch64-linux"],
        }
    }

    /// The folder of this architecture under `/usr/lib` on Debian and its descendants.
    pub(crate) fn multiarch(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86_64-linux-gnu",
            Arch::Aarch64 => "aarch64-linux-gnu",
        }
    }
}

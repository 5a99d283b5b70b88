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

    /// The name of the architecture, as cargo has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86_64",
            Arch::Aarch64 => "aarch64",
        }
    }
}

//! What the build is for.

/// An architecture that has an NVRTC on Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arch {
    X86_64,
    Aarch64,
}

impl Arch {
    /// The architecture, from what cargo says of the target in `CARGO_CFG_TARGET_*`.
    pub(crate) fn new(os: &str, arch: &str) -> Result<Arch, String> {
        match (os, arch) {
            ("linux", "x86_64") => Ok(Arch::X86_64),
            ("linux", "aarch64") => Ok(Arch::Aarch64),
            _ => Err(format!(
                "no NVRTC is known for {os} on {arch}; cuscope-nvrtc-sys links libnvrtc on Linux, \
                 for x86_64 and aarch64"
            )),
        }
    }

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

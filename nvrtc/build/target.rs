//! The platform that the build is for.

pub(crate) use crate::shared::arch::Arch;

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
}

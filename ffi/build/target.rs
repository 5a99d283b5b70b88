//! What the build is for.

pub(crate) use crate::shared::arch::Arch;

use std::fmt;

/// What the build is for: Linux on `arch`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) arch: Arch,
    /// Built on a machine of another kind, whose own folders say nothing.
    pub(crate) cross: bool,
}

impl Target {
    /// The target, from what cargo says of it in `CARGO_CFG_TARGET_*`.
    pub(crate) fn new(cfg: Cfg<'_>, cross: bool) -> Result<Target, Unsupported> {
        if cfg.os != "linux" {
            return Err(Unsupported { what: cfg.os.to_owned() });
        }
        let arch = match (cfg.arch, cfg.pointer_width, cfg.endian) {
            ("x86_64", "64", "little") => Arch::X86_64,
            ("aarch64", "64", "little") => Arch::Aarch64,
            (arch, width, endian) => {
                let what = format!("linux on {arch} ({width} bit, {endian} endian)");
                return Err(Unsupported { what });
            }
        };
        Ok(Target { arch, cross })
    }
}

/// The parts of `CARGO_CFG_TARGET_*` that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cfg<'a> {
    pub(crate) os: &'a str,
    pub(crate) arch: &'a str,
    pub(crate) pointer_width: &'a str,
    pub(crate) endian: &'a str,
}

/// There is no way to link a CUDA driver for such a target.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Unsupported {
    what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what.as_str() {
            "macos" => write!(f, "there is no CUDA driver for macOS")?,
            "windows" => write!(f, "Windows is not supported yet")?,
            what => write!(f, "no CUDA driver is known for {what}")?,
        }
        write!(f, "; cuscope-sys links libcuda on Linux, for x86_64 and aarch64")
    }
}

//! The platform that the build is for.

pub(crate) use crate::shared::arch::Arch;

use std::fmt;

/// The platform that the build is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Platform {
    /// A library has to be found, or a stub made.
    Linux(Target),
    /// The linker needs to know no more than the name of the library, which the declarations say.
    Windows,
}

impl Platform {
    /// The platform, from what cargo says of it in `CARGO_CFG_TARGET_*`.
    pub(crate) fn new(cfg: Cfg<'_>, cross: bool) -> Result<Platform, Unsupported> {
        match (cfg.os, cfg.arch) {
            ("windows", "x86_64") => Ok(Platform::Windows),
            _ => Target::new(cfg, cross).map(Platform::Linux),
        }
    }
}

/// Linux on `arch`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) arch: Arch,
    /// Built on a machine of another kind, whose own folders say nothing.
    pub(crate) cross: bool,
}

impl Target {
    /// The target, from what cargo says of it in `CARGO_CFG_TARGET_*`.
    pub(crate) fn new(cfg: Cfg<'_>, cross: bool) -> Result<Target, Unsupported> {
        if cfg.os == "macos" {
            return Err(Unsupported { what: cfg.os.to_owned() });
        }
        let arch = match (cfg.os, cfg.arch, cfg.pointer_width, cfg.endian) {
            ("linux", "x86_64", "64", "little") => Arch::X86_64,
            ("linux", "aarch64", "64", "little") => Arch::Aarch64,
            (os, arch, width, endian) => {
                let what = format!("{os} on {arch} ({width} bit, {endian} endian)");
                return Err(Unsupported { what });
            }
        };
        Ok(Target { arch, cross })
    }
}

/// Checks that a program for a target can call a shared library. `libc` is `CARGO_CFG_TARGET_ENV`, `features` is
/// `CARGO_CFG_TARGET_FEATURE`, `flags` are those of rustc.
///
/// With musl, programs are static unless the flags say otherwise, and cargo does not count that as a feature.
pub(crate) fn can_link(
    os: &str,
    libc: &str,
    features: &str,
    flags: &str,
) -> Result<(), &'static str> {
    let asked = features.split(',').any(|feature| feature == "crt-static");
    if os == "linux" && (asked || libc == "musl" && !flags.contains("-crt-static")) {
        return Err(STATIC);
    }
    Ok(())
}

const STATIC: &str = "a static program cannot call libcuda, which is a shared library: build with \
                      RUSTFLAGS=\"-C target-feature=-crt-static\", or with CUSCOPE_DRIVER=software and the feature \
                      `software-driver`";

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
            what => write!(f, "no CUDA driver is known for {what}")?,
        }
        write!(
            f,
            "; cuscope-sys links libcuda on Linux, for x86_64 and aarch64, and nvcuda.dll on Windows, for x86_64"
        )
    }
}

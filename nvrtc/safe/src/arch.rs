//! Architectures to compile for.

use crate::{NvrtcError, supported_archs};
use std::fmt;

/// An architecture to compile for: a virtual one (`compute_90`), which produces PTX, or a real one (`sm_90`),
/// which produces PTX and a cubin.
///
/// PTX runs on every device of this compute capability or a higher one, where the driver compiles it. A cubin
/// runs on devices of the same major version and the same or a higher minor version.
///
/// # Examples
/// ```
/// use cuscope_nvrtc::Arch;
/// assert_eq!(Arch::compute(90).to_string(), "compute_90");
/// assert_eq!(Arch::sm(100).specific().to_string(), "sm_100a");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arch {
    real: bool,
    capability: u32,
    suffix: &'static str,
}

impl Arch {
    /// Returns the virtual architecture of a compute capability: 90 for 9.0.
    #[must_use]
    pub const fn compute(capability: u32) -> Arch {
        Arch { real: false, capability, suffix: "" }
    }

    /// Returns the real architecture of a compute capability: 90 for 9.0.
    #[must_use]
    pub const fn sm(capability: u32) -> Arch {
        Arch { real: true, capability, suffix: "" }
    }

    /// Adds the features that only this architecture has (`sm_90a`). The code runs on no other.
    #[must_use]
    pub const fn specific(self) -> Arch {
        Arch { suffix: "a", ..self }
    }

    /// Adds the features that the family of this architecture has (`sm_100f`). The code runs on devices of the
    /// family.
    #[must_use]
    pub const fn family(self) -> Arch {
        Arch { suffix: "f", ..self }
    }

    /// Returns the compute capability: 90 for 9.0.
    #[must_use]
    pub const fn capability(self) -> u32 {
        self.capability
    }

    /// Returns whether it is a real architecture, for which there is a cubin.
    #[must_use]
    pub const fn is_real(self) -> bool {
        self.real
    }

    /// Returns the best virtual architecture of this NVRTC whose PTX runs on a device of this compute capability:
    /// 90 for 9.0.
    ///
    /// # Errors
    /// [`NvrtcError::NotLoaded`]; [`NvrtcError::InvalidArgument`] if the device is older than every architecture that
    /// this NVRTC compiles for.
    pub fn best_for(capability: u32) -> Result<Arch, NvrtcError> {
        best(capability, &supported_archs()?)
    }
}

fn best(capability: u32, supported: &[u32]) -> Result<Arch, NvrtcError> {
    let best = supported.iter().copied().filter(|&it| it <= capability).max();
    best.map(Arch::compute).ok_or_else(|| {
        let reason = format!(
            "the device has compute capability {}.{}, and this NVRTC compiles for {} and higher: \
             use an older NVRTC",
            capability / 10,
            capability % 10,
            supported.iter().min().map_or("none".to_owned(), |it| format!(
                "{}.{}",
                it / 10,
                it % 10
            )),
        );
        NvrtcError::invalid(crate::error::COMPILE, reason)
    })
}

impl fmt::Display for Arch {
    /// Formats the architecture as the compiler takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.real { "sm" } else { "compute" };
        write!(f, "{kind}_{}{}", self.capability, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_architecture_is_the_highest_that_the_device_runs() {
        let supported = [75, 80, 86, 90, 100];
        for (device, expected) in [(75, 75), (85, 80), (90, 90), (103, 100), (130, 100)] {
            assert_eq!(best(device, &supported), Ok(Arch::compute(expected)), "{device}");
        }
        let text = best(70, &supported).unwrap_err().to_string();
        for part in ["7.0", "7.5 and higher", "older NVRTC"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
        assert!(best(70, &[]).is_err());
    }
}

//! Launches that the check of a trusted kernel refuses.

use std::fmt;

/// The check of a [`TrustedKernel`](crate::TrustedKernel) refused a launch. Nothing was launched.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusedLaunch {
    pub(crate) call: &'static str,
    pub(crate) kernel: String,
    pub(crate) launch: String,
    pub(crate) arguments: String,
}

impl RefusedLaunch {
    /// Returns the driver call that was not made.
    #[must_use]
    pub fn call(&self) -> &'static str {
        self.call
    }

    /// Returns the kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Returns the shape of the launch, as `4 x 1 x 1 blocks of 256 x 1 x 1 threads`.
    #[must_use]
    pub fn launch(&self) -> &str {
        &self.launch
    }

    /// Returns the arguments, as `1000, 2.0, &[f32; 1000], &mut [f32; 999]`.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }
}

impl fmt::Display for RefusedLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RefusedLaunch { call, kernel, launch, arguments } = self;
        write!(
            f,
            "`{call}` was not called: the check of `{kernel}` refuses {launch} with the arguments ({arguments}); pass what \
             the check that was given to `trust` asks for, such as memory that is long enough"
        )
    }
}

super::debug_with_message!(RefusedLaunch: call kernel launch arguments);

impl std::error::Error for RefusedLaunch {}

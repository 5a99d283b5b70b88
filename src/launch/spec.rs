//! The launch parameters besides the kernel and its arguments.

use crate::call::name;
use crate::launch::refusals::Details;
use crate::launch::{ExtendedLaunch, LaunchConfig, LaunchShape};
use ffi::{CUlaunchConfig, CUstream};

/// The parameters of a launch: a [`LaunchConfig`], or an [`ExtendedLaunch`] with attributes. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a launch configuration",
    label = "expected a `LaunchConfig`, or an `ExtendedLaunch` from `LaunchConfig::extended`",
    note = "`LaunchConfig::new(blocks, threads)` sets the extents, `LaunchConfig::for_num_elems(n)` launches one thread per element"
)]
pub trait LaunchSpec<'ctx>: sealed::Spec {}

#[diagnostic::do_not_recommend]
impl LaunchSpec<'_> for LaunchConfig {}
#[diagnostic::do_not_recommend]
impl<'ctx> LaunchSpec<'ctx> for ExtendedLaunch<'_, 'ctx> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `LaunchSpec`, which is sealed",
        label = "only `LaunchConfig` and `ExtendedLaunch` do"
    )]
    pub trait Spec: Copy {
        /// Returns the name of the driver call.
        fn call(&self) -> &'static str;
        /// Returns the bytes of dynamic shared memory of a block.
        fn shared_bytes(&self) -> u32;
        /// Returns the shape, as checks see it.
        fn shape(&self) -> LaunchShape;
        /// Returns whether it launches no block: [`LaunchConfig::is_empty`].
        fn is_empty(&self) -> bool;
        /// Returns whether there can be attributes.
        fn is_extended(&self) -> bool;
        /// Returns whether everything in the attributes belongs to the context with this
        /// [key](crate::Context::key).
        fn all_of(&self, key: usize) -> bool;
        /// Returns whether there are events among the attributes.
        fn has_events(&self) -> bool;
        /// Returns why a kernel node cannot have the attributes.
        fn no_node(&self) -> Option<&'static str>;
        /// Returns everything that the driver may refuse.
        fn details(&self) -> Details;
        /// Calls `f` with the launch in the driver's form. Nothing is allocated.
        fn prepared<R>(&self, stream: CUstream, f: impl FnOnce(Prepared<'_>) -> R) -> R;
    }

    /// A launch in the driver's form.
    pub enum Prepared<'a> {
        /// Extents alone: `cuLaunchKernel`.
        Plain(LaunchConfig),
        /// With attributes: `cuLaunchKernelEx`.
        Extended(&'a CUlaunchConfig),
    }

    impl Spec for LaunchConfig {
        #[inline]
        fn call(&self) -> &'static str {
            name!(cuLaunchKernel)
        }
        #[inline]
        fn shared_bytes(&self) -> u32 {
            self.shared_bytes
        }
        #[inline]
        fn shape(&self) -> LaunchShape {
            LaunchShape::from(*self)
        }
        #[inline]
        fn is_empty(&self) -> bool {
            LaunchConfig::is_empty(self)
        }
        #[inline]
        fn is_extended(&self) -> bool {
            false
        }
        #[inline]
        fn all_of(&self, _: usize) -> bool {
            true
        }
        #[inline]
        fn has_events(&self) -> bool {
            false
        }
        #[inline]
        fn no_node(&self) -> Option<&'static str> {
            None
        }
        fn details(&self) -> Details {
            (*self).into()
        }
        #[inline(always)]
        fn prepared<R>(&self, _: CUstream, f: impl FnOnce(Prepared<'_>) -> R) -> R {
            f(Prepared::Plain(*self))
        }
    }
}

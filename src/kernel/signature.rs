//! Tuples of parameters.

use super::Parameter;
use super::parameter::{Given, sealed::Sealed};
use crate::tuples::tuples;

/// The parameters of a kernel: a tuple of up to 32 [`Parameter`]s, in the kernel's order, as
/// `(u32, f32, &[f32], &mut [f32])`. In a struct, write [`In<f32>`](crate::In) and [`Out<f32>`](crate::Out) for the
/// slices, which have no lifetime. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the signature of a kernel",
    label = "expected a tuple such as `(u32, f32, &[f32], &mut [f32])`",
    note = "write `(u32,)` for a single parameter and `()` for none; the maximum is 32",
    note = "each parameter is a number, `Value<Struct>`, `&[T]` or `In<T>` to read, `&mut [T]` or `Out<T>` to write"
)]
pub trait Signature: sealed::Sealed {}

pub(crate) mod sealed {
    use super::Given;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Signature`, which is sealed",
        label = "only tuples do"
    )]
    pub trait Sealed: Seen {
        #[doc(hidden)]
        const GIVEN: &'static [Given];
    }

    /// A signature as a check sees its arguments.
    pub trait Seen {
        /// The arguments as the check of a [`TrustedKernel`](crate::TrustedKernel) sees them: a tuple of each parameter's
        /// [`Seen`](crate::kernel::Parameter::Seen).
        type Seen;
    }
}

macro_rules! signatures {
    ($(($($p:ident $second:ident)*))*) => { $(
        impl<$($p: Parameter),*> Signature for ($($p,)*) {}
        #[diagnostic::do_not_recommend]
        impl<$($p: Parameter),*> sealed::Sealed for ($($p,)*) {
            const GIVEN: &'static [Given] = &[$(<$p as Sealed>::GIVEN),*];
        }
        #[diagnostic::do_not_recommend]
        impl<$($p: Parameter),*> sealed::Seen for ($($p,)*) {
            type Seen = ($($p::Seen,)*);
        }
    )* };
}
tuples!(signatures to 32);

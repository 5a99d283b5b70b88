//! Kernel arguments.

pub(crate) mod source;

pub use source::Source;

use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::lent::Within;
use crate::memory::uses::FastPath;
use crate::memory::{
    DeviceBuffer, DeviceRange, DeviceSlice, DeviceSliceMut, Element, GrowableBuffer, InCall,
    PinnedBuffer, PitchedBuffer, PitchedSlice, PitchedSliceMut,
};
use crate::tuples::tuples;
use bytemuck::NoUninit;
use ffi::CUfunction;
use sealed::Operand;
use std::ffi::c_void;
#[cfg(feature = "guard")]
use std::mem::MaybeUninit;

/// One kernel argument. Sealed.
///
/// - A plain value: a number, an array, or a `#[repr(C)]` struct with bytemuck's `#[derive(Pod)]` or
///   `NoUninit`.
/// - `&buffer`, or a slice of it, for memory that the kernel reads: `buffer.slice(..)?`, or `&slice`.
/// - `&mut buffer` or `&mut slice` for memory that it writes.
/// - A [`PitchedBuffer`] or a part of one in the same forms. The kernel receives the address of the first element;
///   pass the pitch as a number.
/// - `&texture`, and `&surface` or `&mut surface`, as the object: see [`texture`](crate::texture).
/// - `&pinned` and `&mut pinned` for host memory that the kernel uses over the bus.
///
/// The kernel receives memory as its address. A plain value has the type that Rust infers: a literal without a
/// suffix is an `i32` or an `f64`, and so may be the elements of a buffer. Write `2.0_f32`.
///
/// `Lent` says how long memory is lent. It is [`InCall`] for operations that wait. In a scope and in a capture it
/// is [`InScope<'s>`](crate::memory::InScope):
///
/// - `&held` is memory that the kernel reads, `&mut held` memory that it writes. `&held.slice(..)?` and
///   `&mut held.slice_mut(..)?` are parts. `&mapped` and `&mut mapped` are
///   page-locked host memory.
/// - `&buffer` is memory that nothing in the scope writes. A buffer that only one launch in the scope touches may
///   be passed directly as `&mut buffer`.
/// - Graphs do not take page-locked host memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument",
    label = "neither a plain value nor memory that is lent to this launch",
    note = "pass a number or a plain struct by value, `&buffer` to read, `&mut buffer` to write",
    note = "a struct of yours is plain with `#[repr(C)]`, without padding, and with bytemuck's `#[derive(Pod, Zeroable)]` or `#[derive(NoUninit)]`",
    note = "upload host memory to a buffer first, `gpu.on(&stream).from_slice(&values)?`; pass a texture or a surface of an array",
    note = "a stream of a scope, such as `s.on(&stream)`, takes `&held` to read and `&mut held` to write, after `let mut held = s.hold(&mut buffer);`",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait KernelArg<'ctx, Lent = InCall>: sealed::Operand {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit, Lent> KernelArg<'_, Lent> for T {}

impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b DeviceBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b mut DeviceBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for DeviceSlice<'b, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &DeviceSlice<'b, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b DeviceSliceMut<'_, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L>
    for &'b mut DeviceSliceMut<'_, 'ctx, T>
{
}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b GrowableBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b mut GrowableBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b PitchedBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b mut PitchedBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for PitchedSlice<'b, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &PitchedSlice<'b, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b PitchedSliceMut<'_, 'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L>
    for &'b mut PitchedSliceMut<'_, 'ctx, T>
{
}
impl<'b, T: Element, L: Within<'b>> KernelArg<'_, L> for &'b PinnedBuffer<T> {}
impl<'b, T: Element, L: Within<'b>> KernelArg<'_, L> for &'b mut PinnedBuffer<T> {}
#[diagnostic::do_not_recommend]
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b DeviceRange<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'b, 'ctx, T: Element, L: Within<'b>> KernelArg<'ctx, L> for &'b mut DeviceRange<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element, L> KernelArg<'ctx, L> for DeviceRange<'ctx, T> {}

/// The arguments of a launch: a tuple of up to 32 [`KernelArg`]s, in the kernel's order, or an
/// [`ArgumentList`](crate::kernel::ArgumentList). Sealed.
///
/// `Lent` says how long memory is lent, as for [`KernelArg`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of kernel arguments",
    label = "expected a tuple such as `(n, a, &x, &mut y)`",
    note = "write `(x,)` for a single argument and `()` for none; the maximum is 32, and `Function::arguments` lists any number",
    note = "each argument is a plain value, `&buffer` or `&mut buffer`; on a stream of a scope, also `&held` or `&mut held`"
)]
pub trait KernelArgs<'ctx, Lent = InCall>: sealed::Operands {}

/// The arguments of foreign code: a tuple of up to 12 [`KernelArg`]s. Sealed. Only memory has to be among them: the
/// closure can capture the rest.
pub trait ForeignArgs<'ctx, Lent = InCall>: KernelArgs<'ctx, Lent> {
    /// A tuple of what a kernel would receive: the address for memory, and a plain value itself.
    type Parameters;

    #[doc(hidden)]
    fn parameters(&self) -> Self::Parameters;
}

/// Memory of any kind as the argument by which a kernel reads elements of type `T`: `&buffer`, a part of one, memory that a
/// scope holds, memory of an ordered stream, page-locked memory. Sealed.
///
/// A function that launches a kernel takes it where the kernel's signature has `&[T]` or [`In<T>`](crate::In). `Lent` says
/// how long memory is lent, as for [`KernelArg`]; with [`Launches::Lent`](crate::kernel::Launches::Lent), the function is for
/// every kind of stream.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory with elements of type `{T}` that a kernel reads here",
    label = "expected memory with elements of type `{T}`, such as `&buffer`",
    note = "pass `&buffer`, or `&held` in a scope, after `let held = s.hold(&mut buffer);`"
)]
pub trait KernelReads<'ctx, T, Lent = InCall>: KernelArg<'ctx, Lent> + sealed::Reads<T> {
    /// Returns the number of elements that follow each other without a gap, from the first one on. Memory with rows has as
    /// many as a row, unless its rows follow each other without a gap.
    fn len(&self) -> usize {
        self.access().size().len()
    }

    /// Returns whether there is no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Memory of any kind as the argument by which a kernel writes elements of type `T`, and may read them: `&mut buffer`, a part
/// of one and so on, as for [`KernelReads`]. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory with elements of type `{T}` that a kernel writes here",
    label = "expected memory with elements of type `{T}`, such as `&mut buffer`",
    note = "pass `&mut buffer`, or `&mut held` in a scope, after `let mut held = s.hold(&mut buffer);`"
)]
pub trait KernelWrites<'ctx, T, Lent = InCall>:
    KernelReads<'ctx, T, Lent> + sealed::Writes<T>
{
}

#[diagnostic::do_not_recommend]
impl<'ctx, T, Lent, A: KernelArg<'ctx, Lent> + sealed::Reads<T>> KernelReads<'ctx, T, Lent> for A {}
#[diagnostic::do_not_recommend]
impl<'ctx, T, Lent, A: KernelArg<'ctx, Lent> + sealed::Writes<T>> KernelWrites<'ctx, T, Lent>
    for A
{
}

/// Makes types of memory operands. The columns are the memory, its elements, whether the access writes, and whether it
/// [`COMPARES`](sealed::Operand::COMPARES). What a kernel may write, it may read too.
macro_rules! operands {
    ($([$($generics:tt)*] $memory:ty as $element:ty, $writes:tt, $compares:literal;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::args::sealed::Reads<$element> for $memory {}
        $crate::args::operands! { @$writes [$($generics)*] $memory as $element }
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Operand for $memory {
            type Parameter = ffi::CUdeviceptr;
            const COMPARES: bool = $compares;
            #[inline]
            fn parameter(&self) -> ffi::CUdeviceptr {
                self.used($writes).address
            }
            #[inline]
            fn access(&self) -> Access<'_> {
                self.used($writes)
            }
            #[cfg(feature = "guard")]
            #[inline]
            fn extents(&self) -> [u64; 2] {
                self.used($writes).extents()
            }
        }
    )* };
    ($($memory:ty, $writes:tt, $compares:literal;)*) => {
        $crate::args::operands! { $([T: Element] $memory as T, $writes, $compares;)* }
    };
    (@true [$($generics:tt)*] $memory:ty as $element:ty) => {
        impl<$($generics)*> $crate::args::sealed::Writes<$element> for $memory {}
    };
    (@false $($rest:tt)*) => {};
}
pub(crate) use operands;

operands! {
    &DeviceBuffer<'_, T>, false, true;
    &mut DeviceBuffer<'_, T>, true, true;
    DeviceSlice<'_, '_, T>, false, true;
    &DeviceSlice<'_, '_, T>, false, true;
    &DeviceSliceMut<'_, '_, T>, false, true;
    &mut DeviceSliceMut<'_, '_, T>, true, true;
    &GrowableBuffer<'_, T>, false, true;
    &mut GrowableBuffer<'_, T>, true, true;
    &PitchedBuffer<'_, T>, false, true;
    &mut PitchedBuffer<'_, T>, true, true;
    PitchedSlice<'_, '_, T>, false, true;
    &PitchedSlice<'_, '_, T>, false, true;
    &PitchedSliceMut<'_, '_, T>, false, true;
    &mut PitchedSliceMut<'_, '_, T>, true, true;
    DeviceRange<'_, T>, true, true;
    &DeviceRange<'_, T>, false, true;
    &mut DeviceRange<'_, T>, true, true;
    &PinnedBuffer<T>, false, false;
    &mut PinnedBuffer<T>, true, false;
}

pub(crate) mod sealed {
    use super::*;
    #[cfg(feature = "guard")]
    use crate::image::Class;

    /// Memory that an operation uses, borrowed for as long as the operation needs it, or a plain value.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelArg`, which is sealed",
        label = "neither a plain value nor borrowed device memory",
        note = "a plain `#[repr(C)]` struct implements it with bytemuck's `#[derive(NoUninit)]`"
    )]
    pub trait Operand: Sized {
        /// The type of the kernel's parameter.
        type Parameter: Copy;
        /// Whether [`Access::is_ready`] compares with the fast path, and so detects whether it is open.
        const COMPARES: bool = false;
        fn parameter(&self) -> Self::Parameter;
        /// Returns the memory and its use; [`Access::NONE`] for a plain value.
        fn access(&self) -> Access<'_>;
        /// Returns what it may be declared as in PTX text.
        #[cfg(feature = "guard")]
        fn class(&self) -> Class {
            if self.access().object().is_some() { Class::Integer } else { Class::Pointer }
        }
        /// Whether the parameter has the size of an address.
        #[cfg(feature = "guard")]
        const MAY_POINT: bool = size_of::<Self::Parameter>() == 8;
        /// Returns how many bytes a guarded kernel may read and write from the address that is the parameter. None for
        /// everything that is no address.
        #[cfg(feature = "guard")]
        #[inline]
        fn extents(&self) -> [u64; 2] {
            [0; 2]
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: NoUninit> Operand for T {
        type Parameter = T;
        #[inline]
        fn parameter(&self) -> T {
            *self
        }
        #[cfg(feature = "guard")]
        fn class(&self) -> Class {
            Class::of::<T>()
        }
        #[inline]
        fn access(&self) -> Access<'_> {
            Access::NONE
        }
    }

    /// Memory with elements of type `T` that a kernel reads. A plain value is an [`Operand`] too.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelReads` or `Source`, which are sealed",
        label = "only `&DeviceBuffer`, `&ScopedBuffer` and slices of them do"
    )]
    pub trait Reads<T>: Operand {}

    /// Memory with elements of type `T` that a kernel writes.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelWrites`, which is sealed",
        label = "only `&mut DeviceBuffer`, `&mut ScopedBuffer` and slices of them do"
    )]
    pub trait Writes<T>: Reads<T> {}

    /// One of the accesses of an operation to device memory.
    #[diagnostic::do_not_recommend]
    impl Operand for Access<'_> {
        type Parameter = ffi::CUdeviceptr;
        const COMPARES: bool = true;
        #[inline]
        fn parameter(&self) -> ffi::CUdeviceptr {
            self.address
        }
        #[inline]
        fn access(&self) -> Access<'_> {
            *self
        }
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelArgs`, which is sealed",
        label = "only tuples and `ArgumentList` do"
    )]
    pub trait Operands: Sized {
        /// Whether one of them [`COMPARES`](Operand::COMPARES).
        const COMPARES: bool = false;
        /// Returns whether something is true of the access of each argument.
        fn all(&self, is: impl Fn(&Access<'_>) -> bool) -> bool;
        /// Returns whether the context with this [key](crate::Context::key) can use all memory among the
        /// arguments.
        #[inline]
        fn all_of(&self, key: usize) -> bool {
            self.all(|one| one.is_of(key))
        }
        /// Returns whether host memory is among the arguments.
        #[inline]
        fn any_host(&self) -> bool {
            !self.all(|one| !one.is_host())
        }
        /// Returns whether an operation may use all of them as they are: [`Access::is_ready`].
        #[inline]
        fn all_ready(&self, fast_path: &FastPath) -> bool {
            (Self::COMPARES || fast_path.is_open()) && self.all(|one| one.is_ready(fast_path))
        }
        /// Checks that they are arguments of the function, as far as that is not known when the program is compiled.
        #[inline]
        fn fit(&self, _call: &'static str, _function: CUfunction) -> Result {
            Ok(())
        }
        /// Calls `f` with the access of each argument. A tuple allocates nothing.
        fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R;
        /// Returns how many there are.
        fn count(&self) -> usize;
        /// Calls `f` with a pointer to each parameter's value, in order. A tuple allocates nothing. `f` does not
        /// change the values.
        fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
        /// Calls `f` with a pointer to each parameter's value, and to what a guarded kernel has behind them.
        #[cfg(feature = "guard")]
        fn with_guarded<R>(
            &self,
            hidden: Hidden<'_>,
            f: impl FnOnce(&mut [*mut c_void]) -> R,
        ) -> R {
            // Only tuples and lists are arguments of a guarded kernel, and they have their own.
            let _ = hidden;
            self.with_pointers(f)
        }
    }
}

#[cfg(feature = "guard")]
pub(crate) use guarded::{Guarded, Hidden, is_quick};

#[cfg(feature = "guard")]
mod guarded;

macro_rules! args {
    ($(($($a:ident $second:ident)*))*) => { $(
        impl<'ctx, Lent, $($a: KernelArg<'ctx, Lent>),*> KernelArgs<'ctx, Lent> for ($($a,)*) {}
        #[allow(non_snake_case, unused_mut, unused_variables, reason = "one name for a type and its value, and no arguments")]
        #[diagnostic::do_not_recommend]
        impl<$($a: sealed::Operand),*> sealed::Operands for ($($a,)*) {
            const COMPARES: bool = false $(|| $a::COMPARES)*;
            #[inline]
            fn all(&self, is: impl Fn(&Access<'_>) -> bool) -> bool {
                let ($($a,)*) = self;
                true $(&& is(&$a.access()))*
            }
            #[inline]
            fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
                let ($($a,)*) = self;
                f(&[$($a.access()),*])
            }
            #[inline]
            fn count(&self) -> usize {
                0 $(+ { let _ = stringify!($a); 1 })*
            }
            #[inline]
            fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
                let ($($a,)*) = self;
                $(let mut $a = $a.parameter();)*
                f(&mut [$((&raw mut $a).cast()),*])
            }
            #[cfg(feature = "guard")]
            #[inline(always)]
            fn with_guarded<R>(&self, hidden: Hidden<'_>, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
                const OWN: usize = 0 $(+ { let _ = stringify!($second); 1 })*;
                let ($($a,)*) = self;
                $(let mut $second = $a.parameter();)*
                // The types tell which have extents, but for `f64` and structs of 8 bytes. What they tell needs no loop.
                let mut values = [const { MaybeUninit::uninit() }; 2 * OWN + 2];
                let (mut len, mut bytes, mut likely, mut bit) = (0, 0, 0, 1_u32);
                $(
                    if <$a as sealed::Operand>::MAY_POINT {
                        let extents = $a.extents();
                        // No more is written than read.
                        bytes |= extents[0];
                        likely |= bit;
                        guarded::put(extents, &mut len, &mut values);
                    }
                    bit = bit.wrapping_shl(1);
                )*
                let _ = bit;
                if hidden.differs(likely, bytes) {
                    let all = [$(($a.extents(), $a.access().address)),*];
                    len = hidden.put_all(&all, &mut values);
                }
                hidden.put_rest(&mut len, &mut values);
                f(&mut [$((&raw mut $second).cast(),)* values.as_mut_ptr().cast()])
            }
        }
    )* };
}
tuples!(args to 32);

macro_rules! foreign {
    ($(($($a:ident $second:ident)*))*) => { $(
        #[allow(non_snake_case, clippy::unused_unit, reason = "one name for a type and its value")]
        impl<'ctx, Lent, $($a: KernelArg<'ctx, Lent>),*> ForeignArgs<'ctx, Lent> for ($($a,)*) {
            type Parameters = ($($a::Parameter,)*);
            #[inline]
            fn parameters(&self) -> Self::Parameters {
                let ($($a,)*) = self;
                ($($a.parameter(),)*)
            }
        }
    )* };
}
tuples!(foreign to 12);

#[cfg(test)]
mod tests {
    use super::sealed::Operands;

    #[test]
    fn every_value_has_its_pointer_in_order() {
        let pointers = (1_u8, 2.0_f64, [3_u32, 4]).with_pointers(|p| {
            assert_eq!(p.len(), 3);
            p.iter().all(|p| !p.is_null())
        });
        assert!(pointers);
        assert_eq!(().with_pointers(|p| p.len()), 0);
    }
}

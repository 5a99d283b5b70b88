//! The memory to read and the kernel arguments that operations of a scope take.

use super::{Held, HeldSlice, Mapped};
use crate::args::sealed::Operand;
use crate::args::source::Readable;
use crate::args::{KernelArg, operands};
use crate::kernel::launchable::Argument;
use crate::memory::access::Access;
use crate::memory::access_policy::window_memory;
use crate::memory::{Element, InScope};

pub use crate::args::Source;

impl<'s, T: Element> Source<'s, '_, T> for &Held<'s, T> {}
impl<'s, T: Element> Source<'s, '_, T> for HeldSlice<'_, 's, T> {}

impl<T: Element> Readable for &Held<'_, T> {}
impl<T: Element> Readable for HeldSlice<'_, '_, T> {}

impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &Held<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut Held<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for HeldSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &Mapped<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut Mapped<'s, T> {}

operands! {
    &Held<'_, T>, false, true;
    &mut Held<'_, T>, true, true;
    HeldSlice<'_, '_, T>, false, true;
    &Mapped<'_, T>, false, true;
    &mut Mapped<'_, T>, true, true;
}

window_memory!(Held<'_, T>, HeldSlice<'_, '_, T>);

impl<T: Element> Argument<&[T]> for &Held<'_, T> {}
impl<T: Element> Argument<&[T]> for &Mapped<'_, T> {}
impl<T: Element> Argument<&[T]> for HeldSlice<'_, '_, T> {}
impl<T: Element> Argument<&mut [T]> for &mut Held<'_, T> {}
impl<T: Element> Argument<&mut [T]> for &mut Mapped<'_, T> {}

//! The memory to read and the kernel arguments that operations of a scope take.

use super::{ScopedBuffer, ScopedPinned, ScopedPitchedBuffer, ScopedPitchedSlice, ScopedSlice};
use crate::args::sealed::Operand;
use crate::args::source::Readable;
use crate::args::{KernelArg, operands};
use crate::memory::access::Access;
use crate::memory::access_policy::window_memory;
use crate::memory::{Element, InScope};

pub use crate::args::Source;

impl<'s, T: Element> Source<'s, '_, T> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> Source<'s, '_, T> for ScopedSlice<'_, 's, T> {}
impl<'s, T: Element> Source<'s, '_, T> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> Source<'s, '_, T> for ScopedPitchedSlice<'_, 's, T> {}

impl<T: Element> Readable for &ScopedBuffer<'_, T> {}
impl<T: Element> Readable for ScopedSlice<'_, '_, T> {}
impl<T: Element> Readable for &ScopedPitchedBuffer<'_, T> {}
impl<T: Element> Readable for ScopedPitchedSlice<'_, '_, T> {}

impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for ScopedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for ScopedPitchedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPinned<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedPinned<'s, T> {}

operands! {
    &ScopedBuffer<'_, T>, false, true;
    &mut ScopedBuffer<'_, T>, true, true;
    ScopedSlice<'_, '_, T>, false, true;
    &ScopedPitchedBuffer<'_, T>, false, true;
    &mut ScopedPitchedBuffer<'_, T>, true, true;
    ScopedPitchedSlice<'_, '_, T>, false, true;
    &ScopedPinned<'_, T>, false, true;
    &mut ScopedPinned<'_, T>, true, true;
}

window_memory!(ScopedBuffer<'_, T>, ScopedSlice<'_, '_, T>);

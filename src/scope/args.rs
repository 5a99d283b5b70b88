//! The memory to read and the kernel arguments that operations of a scope take.

use super::{
    ScopedArray, ScopedBuffer, ScopedPinned, ScopedPitchedBuffer, ScopedPitchedSlice,
    ScopedPitchedSliceMut, ScopedSlice, ScopedSliceMut,
};
use crate::args::sealed::Operand;
use crate::args::{KernelArg, operands};
use crate::memory::access::Access;
use crate::memory::access_policy::window_memory;
use crate::memory::texel::Texel;
use crate::memory::{Element, InScope};

pub use crate::args::Source;

#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedBuffer<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for ScopedSlice<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedSlice<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedSliceMut<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedPitchedBuffer<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for ScopedPitchedSlice<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedPitchedSlice<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Source<'s, '_, T> for &ScopedPitchedSliceMut<'_, 's, T> {}

#[diagnostic::do_not_recommend]
impl<'s, T: Texel> Source<'s, '_, T> for &ScopedArray<'s, T> {}

impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for ScopedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedSliceMut<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedSliceMut<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for ScopedPitchedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPitchedSlice<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPitchedSliceMut<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedPitchedSliceMut<'_, 's, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &ScopedPinned<'s, T> {}
impl<'s, T: Element> KernelArg<'_, InScope<'s>> for &mut ScopedPinned<'s, T> {}

operands! {
    &ScopedBuffer<'_, T>, false, true;
    &mut ScopedBuffer<'_, T>, true, true;
    ScopedSlice<'_, '_, T>, false, true;
    &ScopedSlice<'_, '_, T>, false, true;
    &ScopedSliceMut<'_, '_, T>, false, true;
    &mut ScopedSliceMut<'_, '_, T>, true, true;
    &ScopedPitchedBuffer<'_, T>, false, true;
    &mut ScopedPitchedBuffer<'_, T>, true, true;
    ScopedPitchedSlice<'_, '_, T>, false, true;
    &ScopedPitchedSlice<'_, '_, T>, false, true;
    &ScopedPitchedSliceMut<'_, '_, T>, false, true;
    &mut ScopedPitchedSliceMut<'_, '_, T>, true, true;
    &ScopedPinned<'_, T>, false, true;
    &mut ScopedPinned<'_, T>, true, true;
}

operands! {
    [T: Texel] &ScopedArray<'_, T> as T, false, true;
    [T: Texel] &mut ScopedArray<'_, T> as T, true, true;
}

window_memory!(ScopedBuffer<'_, T>, ScopedSlice<'_, '_, T>, ScopedSliceMut<'_, '_, T>);

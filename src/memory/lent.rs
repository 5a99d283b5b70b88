//! How long memory is lent to an operation.

use crate::brand::Brand;
use std::convert::Infallible;
use std::fmt;

/// Memory is lent to one call, which returns when the device is done, or when a graph owns a share of the memory: any borrow of
/// it will do.
///
/// A parameter of [`KernelArgs`](crate::KernelArgs) and [`GraphBuffers`](crate::graph::GraphBuffers). It has no
/// values.
#[derive(Debug)]
pub enum InCall {}

/// Memory is lent to the scope `'s`, to the capture or to the builder of a graph. A buffer is borrowed until the
/// scope ends. Memory that the scope [holds](crate::Scope::hold) is borrowed for each call.
///
/// A parameter of [`KernelArgs`](crate::KernelArgs) and [`GraphBuffers`](crate::graph::GraphBuffers). It has no
/// values.
pub struct InScope<'s>(Infallible, Brand<'s>);

impl fmt::Debug for InScope<'_> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

/// Memory belongs to the [stream](crate::OrderedStream) of the operation, or is [shared](crate::SharedBuffer) with it: any
/// borrow of it will do, since later work in that stream comes after the operation.
///
/// A parameter of [`KernelArgs`](crate::KernelArgs) and [`GraphBuffers`](crate::graph::GraphBuffers). It has no
/// values.
#[derive(Debug)]
pub enum InOrder {}

/// A time within `'b`, so that a borrow for `'b` lends the memory for all of it: [`InCall`] and [`InScope`].
#[diagnostic::on_unimplemented(
    message = "this memory belongs to no ordered stream",
    label = "expected `Ordered` memory of the stream",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait Within<'b> {}
impl Within<'_> for InCall {}
impl<'b: 's, 's> Within<'b> for InScope<'s> {}

//! Copies that a thread starts and a barrier or a group tells the end of. They are made at once.

use super::code::{Access, Address, Src, Update};
use super::tensor::Field;

/// A reduction: the update, and the bytes of a value.
pub(crate) type Reduction = (Update, usize);

/// How others learn of the end of a copy to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The `mbarrier`.
    pub(crate) barrier: Access,
    /// The blocks of the cluster that get the copy, by their bits; none: the one that the address is of.
    pub(crate) blocks: Option<Src>,
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`
#[derive(Clone, Debug)]
pub(crate) struct BulkOp {
    pub(crate) to: Access,
    pub(crate) from: Access,
    pub(crate) size: Src,
    pub(crate) told: Option<Told>,
    pub(crate) reduce: Option<Reduction>,
}

/// `st.async` and `red.async`: a store to another block's shared memory.
#[derive(Clone, Debug)]
pub(crate) struct SendOp {
    pub(crate) to: Access,
    pub(crate) values: Box<[Src]>,
    pub(crate) update: Option<Update>,
    pub(crate) barrier: Access,
}

/// The direction of a copy of a box of a tensor.
#[derive(Clone, Debug)]
pub(crate) enum BoxMove {
    /// To shared memory.
    Load(Told),
    /// From shared memory, or added to the tensor.
    Store(Option<&'static str>),
}

/// How far pixels are moved in each dimension of an image, not at all in stores; none of a box.
pub(crate) type Offsets = Option<Box<[Src]>>;

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
#[derive(Clone, Debug)]
pub(crate) struct TensorOp {
    pub(crate) map: Address,
    /// The place in the tensor, the innermost dimension first.
    pub(crate) at: Box<[Src]>,
    pub(crate) offsets: Offsets,
    /// Where it is in shared memory.
    pub(crate) memory: Access,
    pub(crate) what: BoxMove,
}

/// `tensormap.replace`
#[derive(Clone, Debug)]
pub(crate) struct ReplaceOp {
    pub(crate) map: Access,
    pub(crate) field: Field,
    pub(crate) value: Src,
}

//! Where guarded kernels report what they did not do.

/// What a stream or a graph knows of the guarded kernels that were launched in it.
#[derive(Debug, Default)]
pub struct Watch(());

impl Watch {
    /// A watch that nothing uses.
    pub(crate) const NONE: &Watch = &Watch(());
}

//! Spans for `tracing`, with the feature of that name. Without it, nothing.

#[cfg(not(feature = "tracing"))]
pub(crate) use off::Stack;
#[cfg(feature = "tracing")]
pub(crate) use on::Stack;

#[cfg(feature = "tracing")]
mod on {
    use crate::context::Context;
    use crate::driver::release::contained;
    use std::cell::RefCell;
    use std::mem::ManuallyDrop;
    use tracing::Span;
    use tracing::span::EnteredSpan;

    /// The spans of the thread's entries: one from push to pop, leaked guards included. It has no destructor,
    /// like the record that contains it.
    pub(crate) struct Stack(ManuallyDrop<RefCell<Vec<EnteredSpan>>>);

    impl Stack {
        #[inline]
        pub(crate) const fn new() -> Self {
            Stack(ManuallyDrop::new(RefCell::new(Vec::new())))
        }

        #[inline]
        pub(crate) fn pushed(&self, context: &Context) {
            let enter = || {
                tracing::info_span!(
                    target: "cuscope",
                    "context",
                    context = %context,
                    device = context.device().ordinal(),
                )
                .entered()
            };
            // Runs the subscriber: outside the borrow below, and a panic in it ends here.
            let span = contained(enter).unwrap_or_else(|| Span::none().entered());
            self.0.borrow_mut().push(span);
        }

        #[inline]
        pub(crate) fn popped(&self) {
            let span = {
                let mut spans = self.0.borrow_mut();
                let span = spans.pop();
                if spans.is_empty() {
                    *spans = Vec::new(); // else the thread would leave it behind
                }
                span
            };
            contained(|| drop(span)); // outside of the borrow, as above
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::context::Context;

    pub(crate) struct Stack;

    impl Stack {
        pub(crate) const fn new() -> Self {
            Stack
        }

        #[inline]
        #[allow(clippy::unused_self, reason = "as with the feature")]
        pub(crate) fn pushed(&self, _: &Context) {}

        #[inline]
        #[allow(clippy::unused_self, reason = "as with the feature")]
        pub(crate) fn popped(&self) {}
    }
}

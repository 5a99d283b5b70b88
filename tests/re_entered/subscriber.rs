//! A subscriber of `tracing` that runs scripts.

use crate::machine::called_and_may_panic;
use crate::seen::Seen;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Scripts;

impl Subscriber for Scripts {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "cuscope"
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        called_and_may_panic(Seen::InSubscriber);
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {
        called_and_may_panic(Seen::InSubscriber);
    }
    fn enter(&self, _: &Id) {
        called_and_may_panic(Seen::InSubscriber);
    }
    fn exit(&self, _: &Id) {
        called_and_may_panic(Seen::InSubscriber);
    }
}

pub(crate) fn install() {
    tracing::subscriber::set_global_default(Scripts).expect("the first one");
}

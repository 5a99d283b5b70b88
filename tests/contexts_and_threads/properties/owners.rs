//! Contexts that the thread itself makes, shares and destroys.

use super::program::OwnOp;
use super::seen::{Seen, seen};
use super::thread::Thread;
use crate::common::gpu::new_context;

pub(crate) fn step(thread: &Thread, op: OwnOp) {
    let count = thread.owned.borrow().len();
    match op {
        OwnOp::Create => {
            if count > 4 || !crate::common::software() {
                return; // costly on a GPU
            }
            let context = new_context();
            let ctx = thread.raw.borrow().len();
            thread.raw.borrow_mut().push(context.raw());
            thread.model.borrow_mut().own(ctx);
            thread.owned.borrow_mut().push((ctx, context));
        }
        _ if count == 0 => return,
        OwnOp::Clone(which) => {
            let (ctx, context) = thread.owned.borrow()[which % count].clone();
            thread.model.borrow_mut().own(ctx);
            thread.owned.borrow_mut().push((ctx, context));
        }
        OwnOp::Drop(which) => {
            let (ctx, context) = thread.owned.borrow_mut().swap_remove(which % count);
            drop(context);
            thread.model.borrow_mut().disown(ctx);
        }
        OwnOp::TryDestroy(which) => {
            let (ctx, context) = thread.owned.borrow_mut().swap_remove(which % count);
            let model = thread.model.borrow();
            let last = model.owners(ctx) == 1 && !model.must_stay(ctx);
            drop(model);
            match context.try_destroy() {
                Ok(done) => {
                    assert!(last, "destroyed, though something holds it");
                    assert_eq!(done, Ok(()));
                    seen(Seen::Destroyed);
                    thread.model.borrow_mut().disown(ctx);
                }
                Err(back) => {
                    assert!(!last, "given back, though nothing holds it");
                    seen(Seen::GivenBack);
                    thread.owned.borrow_mut().push((ctx, back));
                }
            }
        }
    }
    thread.check();
}

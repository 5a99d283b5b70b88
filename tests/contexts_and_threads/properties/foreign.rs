//! Code that knows nothing of this crate, as far as the known holes allow.

use super::model::Ctx;
use super::program::Foreign;
use super::thread::Thread;
use crate::common::foreign as driver;

/// Makes the step; `within` is what the guard below tries while a foreign call runs.
pub(crate) fn step(thread: &Thread, op: Foreign, within: impl FnOnce()) {
    let raw = |ctx: Ctx| thread.raw.borrow()[ctx];
    let model = &thread.model;
    match op {
        Foreign::Call(which) => {
            let ctx = thread.choose_foreign_call(which);
            driver::push(raw(ctx));
            model.borrow_mut().foreign_push(ctx);
            within();
            assert_eq!(driver::pop(), raw(ctx), "the foreign entry is gone");
            model.borrow_mut().foreign_pop();
        }
        Foreign::SetAndRestore(which) => {
            let ctx = thread.choose_foreign_call(which);
            let before = driver::current();
            driver::set(raw(ctx));
            let replaced = model.borrow_mut().foreign_pop();
            model.borrow_mut().foreign_push(ctx);
            within();
            assert_eq!(driver::current(), raw(ctx), "the foreign entry is gone");
            driver::set(before);
            model.borrow_mut().foreign_pop();
            replaced.into_iter().for_each(|entry| model.borrow_mut().foreign_restore(entry));
        }
        Foreign::Push(which) => {
            let Some(ctx) = thread.choose_foreign(which) else { return };
            driver::push(raw(ctx));
            model.borrow_mut().foreign_push(ctx);
        }
        Foreign::Pop | Foreign::SetNull => {
            if !model.borrow().foreign_may_pop() {
                return;
            }
            if matches!(op, Foreign::Pop) {
                driver::pop();
            } else {
                driver::set(std::ptr::null_mut());
            }
            model.borrow_mut().foreign_pop();
        }
        Foreign::Set(which) => {
            let Some(ctx) = thread.choose_foreign(which) else { return };
            if model.borrow().current().is_some() {
                if !model.borrow().foreign_may_pop() {
                    return;
                }
                model.borrow_mut().foreign_pop();
            }
            driver::set(raw(ctx));
            model.borrow_mut().foreign_push(ctx);
        }
    }
    thread.check();
}

//! A stack with guards on it that is kept in a thread-local, as a future that waits there would keep it.
#![allow(
    unsafe_code,
    reason = "keeps values beside what they borrow, in the order of a nested function"
)]

use crate::machine::{Alive, Machine};
use crate::program::Last;
use cuscope::{Context, ContextStack, PushedGuard, Result};
use std::rc::Rc;

/// A guard, and the context that it borrows.
struct Floor {
    alive: Option<Alive>,
    guard: *mut PushedGuard<'static>,
    context: *mut Context,
}

/// The floors lie on the stack, each on the one before, and end from the top.
pub(crate) struct Tower {
    alive: Option<Alive>,
    floors: Vec<Floor>,
    stack: *mut ContextStack,
}

impl Tower {
    pub(crate) fn new(machine: &Rc<Machine>, stack: ContextStack) -> Tower {
        let alive = Some(Alive::stack(machine));
        Tower { alive, floors: Vec::new(), stack: Box::into_raw(Box::new(stack)) }
    }

    /// Pushes on the top.
    pub(crate) fn push(&mut self, machine: &Rc<Machine>, context: Context) -> Result {
        let address = context.raw().addr();
        let context = Box::into_raw(Box::new(context));
        // SAFETY: it stays until the guard is gone: `end`.
        let lent: &'static Context = unsafe { &*context };
        let pushed = match self.floors.last() {
            // SAFETY: alive, and used by nothing else; that it is covered by the new guard is kept to here.
            Some(floor) => unsafe { &mut *floor.guard }.push(lent),
            // SAFETY: the same.
            None => unsafe { &mut *self.stack }.push(lent),
        };
        match pushed {
            Ok(guard) => {
                let alive = Some(Alive::guard(machine, address));
                self.floors.push(Floor { alive, guard: Box::into_raw(Box::new(guard)), context });
                Ok(())
            }
            Err(error) => {
                // SAFETY: from `Box::into_raw` above, and lent no more.
                drop(unsafe { Box::from_raw(context) });
                Err(error)
            }
        }
    }

    /// The guard on top.
    pub(crate) fn top(&mut self) -> Option<&mut PushedGuard<'static>> {
        // SAFETY: alive, and lent for as long as the tower is.
        self.floors.last().map(|floor| unsafe { &mut *floor.guard })
    }

    /// Ends the guard on top.
    pub(crate) fn end(&mut self, last: Last) -> Option<Result> {
        let mut floor = self.floors.pop()?;
        // SAFETY: from `Box::into_raw`, once.
        let guard = *unsafe { Box::from_raw(floor.guard) };
        drop(floor.alive.take());
        let done = match last {
            Last::Pop => guard.pop(),
            Last::Drop => {
                drop(guard);
                Ok(())
            }
            Last::Leak => {
                std::mem::forget(guard);
                Ok(())
            }
        };
        // SAFETY: from `Box::into_raw`, once; the guard that borrowed it is gone.
        drop(unsafe { Box::from_raw(floor.context) });
        Some(done)
    }
}

impl Drop for Tower {
    fn drop(&mut self) {
        while self.end(Last::Drop).is_some() {}
        drop(self.alive.take());
        // SAFETY: from `Box::into_raw`, once; nothing lies on it any more.
        drop(unsafe { Box::from_raw(self.stack) });
    }
}

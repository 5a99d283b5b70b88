//! What `access` lends is given back before the next transfer: ask again afterwards, it waits.

use cuscope::{Held, Queue, Result, Staged};

fn misuse<'s>(
    q: Queue<'s, '_>,
    staged: &mut Staged<'s, f32>,
    held: &mut Held<'s, f32>,
) -> Result {
    let host = staged.access()?;
    q.upload_staged(staged, held)?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}

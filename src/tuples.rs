//! Tuples of up to twelve types.

/// Calls a macro with a list of names for the types of each tuple, from the empty one on. Each name has a
/// second name beside it.
macro_rules! tuples {
    ($with:ident) => {
        $with! { () (A P) (A P B Q) (A P B Q C R) (A P B Q C R D S) (A P B Q C R D S E T)
        (A P B Q C R D S E T F U) (A P B Q C R D S E T F U G V) (A P B Q C R D S E T F U G V H W)
        (A P B Q C R D S E T F U G V H W I X) (A P B Q C R D S E T F U G V H W I X J Y)
        (A P B Q C R D S E T F U G V H W I X J Y K Z)
        (A P B Q C R D S E T F U G V H W I X J Y K Z L O) }
    };
}
pub(crate) use tuples;

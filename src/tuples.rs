//! Tuples of up to 12 or 32 types.

/// Calls a macro with a list of names for the types of each tuple, from the empty one on, to 12 or 32. Each name has a
/// second name beside it.
macro_rules! tuples {
    // As many as the standard library's traits take. Code for each type of each tuple costs every program's build time.
    ($with:ident to 12) => {
        $crate::tuples::tuples! { $with () () A P B Q C R D S E T F U G V H W I X J Y K Z L O }
    };
    ($with:ident to 32) => {
        $crate::tuples::tuples! { $with () ()
        A P B Q C R D S E T F U G V H W I X J Y K Z L O
        A1 P1 B1 Q1 C1 R1 D1 S1 E1 T1 F1 U1 G1 V1 H1 W1 I1 X1 J1 Y1 K1 Z1 L1 O1
        A2 P2 B2 Q2 C2 R2 D2 S2 E2 T2 F2 U2 G2 V2 H2 W2 }
    };
    ($with:ident ($($list:tt)*) ($($name:ident)*) $first:ident $second:ident $($rest:ident)*) => {
        $crate::tuples::tuples! { $with
        ($($list)* ($($name)*)) ($($name)* $first $second) $($rest)* }
    };
    ($with:ident ($($list:tt)*) ($($name:ident)*)) => {
        $with! { $($list)* ($($name)*) }
    };
}
pub(crate) use tuples;

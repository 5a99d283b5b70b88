//! Subnormal numbers as zeros.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![Case::new("flushed_f32", 2, 64, 0, Input::Words(256), 1536, Check::Digest)]
}

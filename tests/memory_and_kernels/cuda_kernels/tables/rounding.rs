//! Results that IEEE 754 decides.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("rounded_f32", 2, 128, 0, Input::Words(768), 7168, Check::Digest),
        Case::new("rounded_f64", 2, 64, 0, Input::Words(768), 7168, Check::Digest),
        Case::new("f32_to_integers", 4, 64, 0, Input::Words(256), 6144, Check::Digest),
        Case::new("f64_to_integers", 2, 64, 0, Input::Words(256), 6656, Check::Digest),
        Case::new("integers_to_f32", 4, 64, 0, Input::Words(512), 4608, Check::Digest),
        Case::new("integers_to_f64", 4, 64, 0, Input::Words(512), 5632, Check::Digest),
        Case::new("comparisons_f32", 4, 64, 0, Input::Words(512), 1792, Check::Digest),
        Case::new("comparisons_f64", 4, 64, 0, Input::Words(1024), 3072, Check::Digest),
        Case::new("exact_functions", 2, 64, 0, Input::Words(256), 1280, Check::Digest),
        Case::new("exact_functions_f64", 2, 64, 0, Input::Words(512), 1280, Check::Digest),
        Case::new(
            "double_double",
            2,
            64,
            0,
            Input::F64(256),
            1024,
            Check::F64(|x, _| {
                let row = |x: &[f64]| {
                    let (a, b) = (x[0], x[1] * 1e-9);
                    let sum = a + b;
                    let part = sum - a;
                    let product = a * b;
                    [sum, (a - (sum - part)) + (b - part), product, a.mul_add(b, -product)]
                };
                x.chunks(2).flat_map(row).collect()
            }),
        ),
        Case::new("intervals", 1, 64, 12, Input::F64(64), 256, Check::Digest),
    ]
}

//! Floats of 16 bits.

use super::super::case::{Case, Check, Input};

/// The nearest number with 11 bits, for what is no subnormal half.
fn rounded(x: f64) -> f64 {
    let unit = 2_f64.powi(x.abs().log2().floor() as i32 - 10);
    if x == 0.0 { 0.0 } else { (x / unit).round_ties_even() * unit }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("half_arithmetic", 4, 64, 0, Input::Words(256), 3584, Check::Digest),
        Case::new("half_conversions", 4, 64, 0, Input::Words(256), 3584, Check::Digest),
        Case::new("bfloat_arithmetic", 4, 64, 0, Input::Words(256), 2048, Check::Digest),
        Case::new("half_dot", 1, 64, 10, Input::Words(640), 64, Check::Digest),
        Case::new("half_atomics", 2, 64, 0, Input::Words(128), 5, Check::Digest),
        Case::new(
            "half_functions",
            1,
            64,
            0,
            Input::F32(64),
            512,
            Check::Near(3e-3, |x, _| {
                let row = |&x: &f32| {
                    let x = rounded(x.into());
                    let positive = rounded(x.abs() + 0.25);
                    let root = positive.sqrt();
                    [
                        x.exp2(),
                        x.exp(),
                        positive.log2(),
                        root,
                        1.0 / root,
                        1.0 / positive,
                        x.sin(),
                        x / positive,
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
    ]
}

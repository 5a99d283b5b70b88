//! The functions of the mathematics library.

use super::super::case::{Case, Check, Input};
use super::physics::erfc;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "circle_f32",
            1,
            64,
            0,
            Input::F32(64),
            512,
            Check::Near(1e-6, |x, _| {
                let row = |&x: &f32| {
                    let (tens, millions) = (f64::from(x * 10.0), f64::from(x * 1e6));
                    let (four, other) = (f64::from(x * 4.0), f64::from(0.5 - x * x));
                    let x = f64::from(x);
                    [
                        tens.sin(),
                        tens.cos(),
                        x.tan(),
                        x.asin(),
                        x.acos(),
                        four.atan(),
                        x.atan2(other),
                        millions.sin(),
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        Case::new(
            "growth_f32",
            1,
            64,
            0,
            Input::F32(64),
            576,
            Check::Near(3e-6, |x, _| {
                let row = |&x: &f32| {
                    let (six, three, positive) =
                        (f64::from(x * 6.0), f64::from(x * 3.0), f64::from(x.abs() + 0.01));
                    let x = f64::from(x);
                    [
                        six.exp(),
                        x.exp_m1(),
                        positive.ln(),
                        (x * 0.5).ln_1p(),
                        positive.log10(),
                        positive.powf(three),
                        (x * 2.0).sinh(),
                        (x * 2.0).cosh(),
                        (x * 2.0).tanh(),
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        Case::new(
            "special_f32",
            1,
            64,
            0,
            Input::F32(64),
            320,
            Check::Near(2e-6, |x, _| {
                let row = |&x: &f32| {
                    let (hundred, square) = (f64::from(x * 100.0), f64::from(x * x + 1.0));
                    let x = f64::from(x);
                    [
                        hundred.cbrt(),
                        x.hypot(3.0),
                        1.0 - erfc(x * 2.0),
                        erfc(x * 2.0),
                        1.0 / square.cbrt(),
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        Case::new(
            "circle_f64",
            1,
            64,
            0,
            Input::F64(64),
            768,
            Check::Near64(1e-14, |x, _| {
                let row = |&x: &f64| {
                    [(x * 20.0).sin(), (x * 20.0).cos(), x.tan(), x.asin(), x.acos(), x.atan2(0.25)]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        Case::new(
            "growth_f64",
            1,
            64,
            0,
            Input::F64(64),
            1152,
            Check::Near64(1e-14, |x, _| {
                let row = |&x: &f64| {
                    let positive = x.abs() + 0.01;
                    [
                        (x * 20.0).exp(),
                        positive.ln(),
                        positive.powf(x * 5.0),
                        x.sinh(),
                        x.tanh(),
                        x.cbrt(),
                        (x * 9.0).exp2(),
                        positive.log2(),
                        1.0 / positive.sqrt(),
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
    ]
}

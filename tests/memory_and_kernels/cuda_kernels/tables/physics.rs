//! Particles, fractals, geometry and finance.

use super::super::case::{Case, Check, Input};

/// The complementary error function, by its continued fraction or its series.
pub(crate) fn erfc(x: f64) -> f64 {
    let square = x * x;
    if x.abs() < 2.0 {
        let mut term = x;
        let mut sum = x;
        for k in 1..60 {
            term *= -square / f64::from(k);
            sum += term / f64::from(2 * k + 1);
        }
        return 1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI;
    }
    let fraction = (1..80).rev().fold(0.0, |f, k| f64::from(k) / 2.0 / (x.abs() + f));
    let tail = (-square).exp() / (x.abs() + fraction) / std::f64::consts::PI.sqrt();
    if x > 0.0 { tail } else { 2.0 - tail }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "nbody",
            2,
            64,
            128,
            Input::F32(512),
            512,
            Check::F32(|x, _| {
                let acceleration = |me: &[f32]| {
                    let mut sum = [0.0_f32; 4];
                    for other in x.chunks(4) {
                        let d: [f32; 3] = std::array::from_fn(|i| other[i] - me[i]);
                        let square = d[2].mul_add(d[2], 0.01);
                        let square = d[0].mul_add(d[0], d[1].mul_add(d[1], square));
                        let factor = other[3] / (square * square.sqrt());
                        (0..3).for_each(|i| sum[i] = d[i].mul_add(factor, sum[i]));
                    }
                    sum
                };
                x.chunks(4).flat_map(acceleration).collect()
            }),
        ),
        Case::new(
            "potential",
            1,
            64,
            64,
            Input::F32(256),
            64,
            Check::Near(1e-5, |x, _| {
                let potential = |me: &[f32]| {
                    let near = |other: &[f32]| {
                        let d = |i: usize| f64::from(other[i]) - f64::from(me[i]);
                        1.0 / (d(0) * d(0) + d(1) * d(1) + d(2) * d(2) + 0.25).sqrt()
                    };
                    x.chunks(4).map(near).sum::<f64>()
                };
                x.chunks(4).map(potential).collect()
            }),
        ),
        Case::new(
            "mandelbrot",
            (4, 8),
            (16, 8),
            64,
            Input::Words(1),
            4096,
            Check::Words(|_, n| {
                let steps = |x: u32, y: u32| {
                    let scale = 3.0_f32 / 64.0;
                    let (cr, ci) =
                        ((x as f32).mul_add(scale, -2.25), (y as f32).mul_add(scale, -1.5));
                    let (mut r, mut i, mut steps) = (0.0_f32, 0.0_f32, 0);
                    while steps < 64 && r * r + i * i < 4.0 {
                        (r, i) = (r * r - i * i + cr, (2.0 * r).mul_add(i, ci));
                        steps += 1;
                    }
                    steps
                };
                (0..n * n).map(|i| steps(i % n, i / n)).collect()
            }),
        ),
        Case::new(
            "julia",
            (2, 4),
            (16, 8),
            32,
            Input::Words(1),
            1024,
            Check::Words(|_, n| {
                let steps = |x: u32, y: u32| {
                    let place = |x: u32| f64::from(x) * 0.09375 - 1.5;
                    let (mut r, mut i, mut steps) = (place(x), place(y), 0);
                    while steps < 100 && r * r + i * i <= 4.0 {
                        (r, i) = (r * r - i * i - 0.8, 2.0 * r * i + 0.156);
                        steps += 1;
                    }
                    steps
                };
                (0..n * n).map(|i| steps(i % n, i / n)).collect()
            }),
        ),
        Case::new(
            "quaternion",
            1,
            64,
            0,
            Input::F32(448),
            192,
            Check::Near(1e-5, |x, _| {
                let product = |a: [f64; 4], b: [f64; 4]| {
                    [
                        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
                    ]
                };
                let turned = |p: &[f32]| {
                    let q: [f64; 4] = std::array::from_fn(|i| p[i].into());
                    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let q = q.map(|x| x / length);
                    let v = [0.0, p[4].into(), p[5].into(), p[6].into()];
                    let [_, x, y, z] = product(product(q, v), [q[0], -q[1], -q[2], -q[3]]);
                    [x, y, z]
                };
                x.chunks(7).flat_map(turned).collect()
            }),
        ),
        Case::new(
            "ray_sphere",
            2,
            64,
            0,
            Input::F32(768),
            128,
            Check::F32(|x, _| {
                let dot =
                    |a: &[f32], b: &[f32]| a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]));
                let hit = |ray: &[f32]| {
                    let (origin, direction) = ray.split_at(3);
                    let a = dot(direction, direction);
                    let (b, c) = (dot(origin, direction), dot(origin, origin) - 0.25);
                    let root = b * b - a * c;
                    if root < 0.0 { -1.0 } else { (-b - root.sqrt()) / a }
                };
                x.chunks(6).map(hit).collect()
            }),
        ),
        Case::new(
            "springs",
            2,
            64,
            0,
            Input::F64(128),
            256,
            Check::F64(|x, _| {
                let chain = |x: &[f64]| {
                    let (mut place, mut velocity) = (vec![0.0; 66], [0.0; 64]);
                    place[1..65].copy_from_slice(x);
                    for _ in 0..16 {
                        let force: Vec<f64> =
                            place.windows(3).map(|p| p[0] - 2.0 * p[1] + p[2]).collect();
                        for t in 0..64 {
                            velocity[t] = 0.125_f64.mul_add(force[t], velocity[t]);
                            place[t + 1] = 0.125_f64.mul_add(velocity[t], place[t + 1]);
                        }
                    }
                    place[1..65].to_vec()
                };
                x.chunks(64).flat_map(chain).collect()
            }),
        ),
        Case::new(
            "black_scholes",
            1,
            64,
            64,
            Input::F32(192),
            64,
            Check::Near(1e-4, |x, n| {
                let n = n as usize;
                let size = |i: usize| f64::from(x[i]).abs();
                let normal = |x: f64| 0.5 * erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
                let price = |i: usize| {
                    let (spot, strike) = (60.0 + 40.0 * size(i), 60.0 + 40.0 * size(n + i));
                    let (years, rate, volatility) = (0.25 + size(2 * n + i), 0.02, 0.3);
                    let root = volatility * years.sqrt();
                    let d1 = ((spot / strike).ln()
                        + (rate + 0.5 * volatility * volatility) * years)
                        / root;
                    spot * normal(d1) - strike * (-rate * years).exp() * normal(d1 - root)
                };
                (0..n).map(price).collect()
            }),
        ),
        Case::new(
            "k_means",
            2,
            128,
            0,
            Input::F32(512),
            280,
            Check::Words(|x, _| {
                let points: Vec<[f32; 2]> =
                    x.chunks(2).map(|p| [f32::from_bits(p[0]), f32::from_bits(p[1])]).collect();
                let mut out = vec![0_u32; 24];
                for p in &points {
                    let distance = |k: usize| {
                        let (dx, dy) = (p[0] - points[k][0], p[1] - points[k][1]);
                        dx * dx + dy * dy
                    };
                    let best = (0..8)
                        .reduce(|a, b| if distance(b) < distance(a) { b } else { a })
                        .unwrap();
                    let fixed = |x: f32| (x * 65536.0).round_ties_even() as i32 as u32;
                    out[best] += 1;
                    out[8 + best] = out[8 + best].wrapping_add(fixed(p[0]));
                    out[16 + best] = out[16 + best].wrapping_add(fixed(p[1]));
                    out.push(best as u32);
                }
                out
            }),
        ),
        Case::new("point_in_polygon", 2, 128, 0, Input::F32(512), 8, Check::Digest),
    ]
}

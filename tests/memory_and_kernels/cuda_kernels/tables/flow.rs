//! Control.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "fibonacci",
            1,
            32,
            0,
            Input::Words(32),
            32,
            Check::Words(|x, _| {
                let numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
                x.iter().map(|x| numbers[(x % 12) as usize]).collect()
            }),
        ),
        Case::new(
            "ackermann",
            1,
            32,
            0,
            Input::Words(32),
            32,
            Check::Words(|x, _| {
                x.iter().map(|x| (x >> 29) + [1, 2, 3 + (x >> 29)][(x % 3) as usize]).collect()
            }),
        ),
        Case::new(
            "mutual_recursion",
            1,
            32,
            0,
            Input::Words(32),
            32,
            Check::Words(|x, _| x.iter().map(|x| (x % 20 + 1) % 2 * 2 + x % 7 % 2).collect()),
        ),
        Case::new(
            "function_pointers",
            1,
            64,
            10,
            Input::Words(64),
            64,
            Check::Words(|x, n| {
                let run = |&x: &u32| {
                    (0..n).fold(x, |value, i| {
                        let other = x.wrapping_add(i);
                        match value >> 5 & 3 {
                            0 => value.wrapping_add(other),
                            1 => value.wrapping_sub(other),
                            2 => value.wrapping_mul(other),
                            _ => value ^ (other as i32 >> 3) as u32,
                        }
                    })
                };
                x.iter().map(run).collect()
            }),
        ),
        Case::new(
            "virtual_functions",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| {
                let shape = |&x: &u32| {
                    let (a, b) = ((x & 0xff) as i32, (x >> 8 & 0xff) as i32);
                    let (area, twice) = match x % 3 {
                        0 => (a * b, 2 * a * b),
                        1 => (a * b / 2, a * b),
                        _ => (a + b - 1, 2 * (a + b - 1)),
                    };
                    (area * 3 + twice) as u32
                };
                x.iter().map(shape).collect()
            }),
        ),
        Case::new("stack_machine", 1, 64, 60, Input::Words(64), 64, Check::Digest),
        Case::new("nested_loops", 1, 64, 20, Input::Words(64), 64, Check::Digest),
        Case::new(
            "early_exit",
            2,
            128,
            100,
            Input::Words(256),
            256,
            Check::Words(|x, n| {
                let n = n as usize;
                let value = |i: usize| {
                    let (block, t) = (i / 128 * 128, i % 128);
                    if t < n { x[i].wrapping_add(x[block + n - 1 - t]) } else { 0 }
                };
                (0..256).map(value).collect()
            }),
        ),
        Case::new(
            "quicksort",
            1,
            32,
            24,
            Input::Words(768),
            768,
            Check::Words(|x, n| {
                let mut x = x.to_vec();
                x.chunks_mut(n as usize).for_each(|part| part.sort_by_key(|&x| x as i32));
                x
            }),
        ),
        Case::new(
            "queens",
            1,
            32,
            7,
            Input::Words(1),
            32,
            Check::Words(|_, _| (0..32).map(|t| [4, 7, 6, 6, 6, 7, 4][t % 7]).collect()),
        ),
        Case::new(
            "levenshtein",
            1,
            64,
            16,
            Input::Words(512),
            64,
            Check::Words(|x, n| {
                let n = n as usize;
                let letters: Vec<u8> =
                    bytemuck::cast_slice::<u32, u8>(x).iter().map(|x| x % 4).collect();
                let distance = |words: &[u8]| {
                    let (a, b) = words.split_at(n);
                    let mut table = vec![vec![0_u32; n + 1]; n + 1];
                    for i in 0..=n {
                        for k in 0..=n {
                            table[i][k] = if i == 0 || k == 0 {
                                (i + k) as u32
                            } else {
                                let change = table[i - 1][k - 1] + u32::from(a[i - 1] != b[k - 1]);
                                change.min(table[i - 1][k] + 1).min(table[i][k - 1] + 1)
                            };
                        }
                    }
                    table[n][n]
                };
                letters.chunks(2 * n).map(distance).collect()
            }),
        ),
        Case::new(
            "floyd_warshall",
            1,
            (16, 16),
            0,
            Input::Words(256),
            256,
            Check::Words(|x, _| {
                let mut way: Vec<u32> = x
                    .iter()
                    .enumerate()
                    .map(|(i, x)| if i / 16 == i % 16 { 0 } else { x % 100 + 1 })
                    .collect();
                for k in 0..16 {
                    for i in 0..256 {
                        way[i] = way[i].min(way[i / 16 * 16 + k] + way[k * 16 + i % 16]);
                    }
                }
                way
            }),
        ),
        Case::new(
            "breadth_first",
            1,
            128,
            0,
            Input::Words(256),
            128,
            Check::Words(|x, _| {
                let mut distance = vec![!0_u32; 128];
                distance[0] = 0;
                let mut queue = std::collections::VecDeque::from([0]);
                while let Some(node) = queue.pop_front() {
                    for edge in &x[2 * node..2 * node + 2] {
                        let next = (edge % 128) as usize;
                        if distance[next] == !0 {
                            distance[next] = distance[node] + 1;
                            queue.push_back(next);
                        }
                    }
                }
                distance
            }),
        ),
        Case::new(
            "sieve",
            1,
            64,
            40,
            Input::Words(1),
            40,
            Check::Words(|_, n| {
                let prime = |p: u32| p > 1 && (2..=p.isqrt()).all(|d| !p.is_multiple_of(d));
                (0..n)
                    .map(|i| {
                        (0..32).fold(0, |bits, bit| bits | u32::from(prime(32 * i + bit)) << bit)
                    })
                    .collect()
            }),
        ),
        Case::new(
            "templates",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| {
                (0..).zip(x).map(|(i, k)| k.wrapping_add(i).wrapping_mul(5040) ^ (k >> 3)).collect()
            }),
        ),
        Case::new("automaton", 1, 64, 0, Input::Words(64), 64, Check::Digest),
    ]
}

//! Kernels run as they are and guarded, and every access is looked at: none of a guarded one is outside of the arguments,
//! and where none of the plain one was, the results are the same.

use std::fmt::Write as _;

use cuscope_ptx::run::{Fault, Place};

use super::generate;
use super::mutate;
use super::world::{Argument, Left, Random, Shape, launch};
use crate::planted::{ALL, Mistake, with, with_loops_once};
use crate::{Guarded, guard};

/// How many kernels came to what.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    kernels: u64,
    /// Guarded, and run.
    guarded: u64,
    /// Nothing was outside, and the results were compared.
    same: u64,
    /// Something was outside.
    outside: u64,
    /// A loop had a second copy, and what was left without it was compared.
    copies: u64,
}

/// Whether the interpreter alone would end a launch so: what is outside of shared memory, a trap, no progress.
fn elsewhere(left: &Left) -> bool {
    match left.result {
        Ok(()) => true,
        Err(Fault::IllegalAddress | Fault::MisalignedAddress) => {
            matches!(left.place, Some(Place::Shared) | None)
        }
        Err(_) => true,
    }
}

/// Runs a kernel both ways, and says what is wrong.
pub(crate) fn compared(
    text: &str,
    kernel: &str,
    arguments: &[Argument],
    shape: Shape,
    count: &mut Count,
) -> Result<(), String> {
    count.kernels += 1;
    let Ok(guarded) = guard(text) else { return Ok(()) };
    if !guarded.kernels().iter().any(|one| one.name() == kernel) {
        return Ok(());
    }
    let Ok(plain) = launch(text, None, kernel, arguments, shape) else { return Ok(()) };
    let after = launch(
        guarded.text(),
        Some(&guarded),
        kernel,
        arguments,
        Shape { most_steps: shape.most_steps * 12, ..shape },
    )
    .map_err(|error| format!("the guarded text: {error}"))?;
    count.guarded += 1;
    if !after.escapes.is_empty() {
        return Err(format!("{:?}", after.escapes));
    }
    if !elsewhere(&after) {
        return Err(format!("{:?} in {:?}", after.result, after.place));
    }
    let known = guarded.kernels().iter().find(|one| one.name() == kernel);
    if after.site != 0 && known.is_none_or(|one| one.site(after.site).is_none()) {
        return Err(format!("site {} is not in the list", after.site));
    }
    match plain.result {
        Ok(()) => {
            count.same += 1;
            if after.site != 0 {
                let site = known.and_then(|one| one.site(after.site));
                return Err(format!("nothing was outside, but {site:?} failed"));
            }
            if after.result != Ok(()) {
                return Err(format!("the guarded kernel ended with {:?}", after.result));
            }
            // A guarded kernel takes longer, which one that reads a clock stores.
            let timed = text.contains("%clock") || text.contains("%globaltimer");
            if after.memory != plain.memory && !timed {
                return Err("the results differ".to_owned());
            }
        }
        Err(Fault::IllegalAddress | Fault::MisalignedAddress)
            if plain.place == Some(Place::Global) =>
        {
            count.outside += 1;
            if after.site == 0 && after.result == Ok(()) {
                return Err("an access was outside, and none failed".to_owned());
            }
        }
        Err(_) => {}
    }
    Ok(())
}

/// Runs a guarded kernel with one thread, and once more with loops that stand once: both leave the same.
fn same_without_copies(text: &str, kernel: &str, arguments: &[Argument]) -> Result<bool, String> {
    let (Ok(guarded), Ok(once)) = (guard(text), with_loops_once(|| guard(text))) else {
        return Ok(false);
    };
    if guarded.text() == once.text() {
        return Ok(false);
    }
    let shape = Shape { grid: [1; 3], block: [1; 3], ..Shape::default() };
    let left = |guarded| launch(Guarded::text(guarded), Some(guarded), kernel, arguments, shape);
    let (with, without) = (left(&guarded)?, left(&once)?);
    let known = |guarded: &Guarded| format!("{:?}", guarded.kernels());
    if known(&guarded) != known(&once) {
        return Err("the sites differ".to_owned());
    }
    match (with.result, without.result) {
        (Ok(()), Ok(())) if (with.site, &with.memory) != (without.site, &without.memory) => {
            Err(format!("site {} and not {}", with.site, without.site))
        }
        (with, without) => Ok(with.is_ok() && without.is_ok()),
    }
}

/// Random kernels, of a seed on.
pub(crate) fn random(seed: u64, kernels: u64, count: &mut Count) -> Result<(), String> {
    for number in seed..seed + kernels {
        let mut random = Random::new(number);
        let case = generate::case(&mut random);
        let compared = compared(&case.text, "test", &case.arguments, Shape::default(), count);
        let once = || same_without_copies(&case.text, "test", &case.arguments);
        let copies = compared.and_then(|()| once().map(|copies| count.copies += u64::from(copies)));
        copies.map_err(|why| {
            let mut text = format!("kernel {number}: {why}\n{}", case.text);
            for argument in &case.arguments {
                let _ = writeln!(text, "{argument:?}");
            }
            text
        })?;
    }
    Ok(())
}

/// Changed kernels, of a seed on.
pub(crate) fn mutated(
    seeds: &[String],
    seed: u64,
    kernels: u64,
    count: &mut Count,
) -> Result<(), String> {
    for number in seed..seed + kernels {
        let mut random = Random::new(number);
        let text = &seeds[random.below(seeds.len() as u64) as usize];
        let text = mutate::changed(text, &mut random);
        let Ok(guarded) = guard(&text) else {
            count.kernels += 1;
            continue;
        };
        let kernels = guarded.kernels();
        if kernels.is_empty() {
            count.kernels += 1;
            continue;
        }
        let kernel = kernels[random.below(kernels.len() as u64) as usize].name();
        let Some(arguments) = mutate::arguments(&text, kernel, &mut random) else { continue };
        compared(&text, kernel, &arguments, Shape::default(), count).map_err(|why| {
            format!("changed kernel {number}: {kernel}: {why}\n{text}\n{arguments:?}")
        })?;
    }
    Ok(())
}

/// So many, or as many as the environment asks for.
fn thorough(count: u64) -> u64 {
    match std::env::var("CUSCOPE_GUARDED").ok().and_then(|count| count.parse().ok()) {
        Some(count) => count,
        None if std::env::var_os("CUSCOPE_THOROUGH").is_some() => count,
        None => count / 5,
    }
}

#[test]
fn random_kernels_stay_inside() {
    let mut count = Count::default();
    random(0, thorough(10_000), &mut count).unwrap_or_else(|why| panic!("{why}"));
    println!("{count:?}");
    // The kernels are worth something.
    assert!(count.guarded * 10 > count.kernels * 9, "{count:?}");
    assert!(count.same * 20 > count.kernels, "{count:?}");
    assert!(count.outside * 5 > count.kernels, "{count:?}");
    assert!(count.copies * 10 > count.kernels, "{count:?}");
}

#[test]
fn changed_kernels_stay_inside() {
    let mut count = Count::default();
    mutated(&mutate::seeds(), 1, thorough(5_000), &mut count).unwrap_or_else(|why| panic!("{why}"));
    println!("{count:?}");
    assert!(count.guarded * 4 > count.kernels, "{count:?}");
    assert!(count.same * 20 > count.kernels, "{count:?}");
    assert!(count.outside * 20 > count.kernels, "{count:?}");
}

/// What is found of a mistake, by what was directed at it and by random kernels.
fn found(mistake: Mistake) -> Option<&'static str> {
    with(Some(mistake), || {
        if super::directed::all().is_err() {
            return Some("directed");
        }
        let mut count = Count::default();
        random(0, 2000, &mut count).is_err().then_some("random")
    })
}

#[test]
fn planted_mistakes_are_found() {
    let missed: Vec<Mistake> = ALL.iter().copied().filter(|&one| found(one).is_none()).collect();
    assert!(missed.is_empty(), "nothing finds {missed:?}");
}

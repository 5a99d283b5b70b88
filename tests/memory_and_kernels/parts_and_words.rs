//! Views of memory and small values: a copy of a view is the same view, and what they say of themselves is right.

use crate::common::gpu::{new_context, try_with_gpu, with_gpu};
use crate::common::kernels::SAXPY;
use cuscope::detached::{NotAttached, Plain};
use cuscope::module::LoadingMode;
use cuscope::settings::Limit;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::*;

/// A clone, where `Copy` would do.
fn again<T: Clone>(view: &T) -> T {
    view.clone()
}

#[test]
fn a_clone_of_a_view_is_the_same_view() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let x = gpu.on(&stream).from_slice(&[1_u32, 2, 3, 4])?;
        let part = x.slice(1..3)?;
        assert_eq!(again(&part).address(), part.address());
        assert_eq!(gpu.on(&stream).to_vec(&again(&part))?, [2, 3]);
        let rows = gpu.alloc_pitched::<u32>((4, 4))?;
        let part = rows.part(1..3, 1..4, ..)?;
        assert_eq!(again(&part).extent(), part.extent());
        let array = gpu.alloc_array::<u32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
        let part = array.part(2..5, .., ..)?;
        assert_eq!(again(&part).extent(), part.extent());
        Ok(())
    });
}

#[test]
fn held_views_say_what_they_are() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let mut x = gpu.on(&stream).from_slice(&[1_u32, 2, 3, 4])?;
        let mut rows = gpu.alloc_pitched::<u32>((4, 4))?;
        let mut pinned = gpu.pinned::<u32>(2)?;
        let mut host = [0; 2];
        gpu.scope(|s| {
            let (on, mut held) = (s.on(&stream), s.hold(&mut x));
            let part = held.slice(1..3)?;
            assert_eq!((part.is_empty(), part.context()), (false, gpu.context()));
            on.download(again(&part), &mut host)?;
            let none = held.slice_mut(2..2)?;
            assert_eq!((none.is_empty(), none.context()), (true, gpu.context()));
            let rows = s.hold(&mut rows);
            let part = rows.part(1..3, 1..4, ..)?;
            assert_eq!(again(&part).extent(), part.extent());
            let mapped = s.map(&mut pinned);
            assert_eq!((mapped.is_empty(), mapped.len()), (false, 2));
            Ok(())
        })?;
        assert_eq!(host, [2, 3]);
        Ok(())
    });
}

#[test]
fn halves_of_an_ordered_part_are_apart() {
    try_with_gpu(|gpu| {
        let ordered = gpu.ordered_stream()?;
        let mut x = ordered.zeroed::<u32>(8)?;
        let mut part = x.slice_mut(2..6)?;
        let (mut first, mut second) = part.split_at_mut(1)?;
        ordered.fill(&mut first, 1)?;
        ordered.fill(&mut second, 2)?;
        assert!(matches!(part.split_at_mut(5), Err(Error::InvalidRange { end: 5, len: 4, .. })));
        assert_eq!(ordered.to_vec(&x)?, [0, 0, 1, 2, 2, 2, 0, 0]);
        Ok(())
    });
}

#[test]
fn a_handle_that_is_not_attached_is_given_back() {
    let other = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let detached = stack.push(&other).unwrap().event().unwrap().detach();
    let gpu_context = new_context();
    let gpu = stack.push(&gpu_context).unwrap();
    let refused = gpu.attach(detached).unwrap_err();
    assert_eq!(format!("{refused:?}"), "NotAttached: the handle belongs to another context");
    let refused = gpu.attach(refused.0).unwrap_err();
    let error = Error::from(NotAttached(refused.0));
    assert_eq!(error, Error::OtherContext { call: "PushedGuard::attach" });
}

#[test]
fn plain_values_are_used_as_what_they_are() {
    let mut names = Plain(vec!["a"]);
    names.push("b");
    assert_eq!(names.join(" "), "a b");
}

#[test]
fn a_loading_mode_is_a_word() {
    let words = [LoadingMode::Eager, LoadingMode::Lazy].map(|mode| mode.to_string());
    assert_eq!(words, ["eager", "lazy"]);
    assert!(words.contains(&LoadingMode::current().unwrap().to_string()));
}

#[test]
fn limits_of_other_devices_are_refused_or_have_a_value() {
    with_gpu(|gpu| {
        for limit in
            [Limit::GraphicsEnabled, Limit::GraphicsSharedMemoryFallback, Limit::PerBlockMemorySize]
        {
            let codes = [ffi::CUDA_ERROR_UNSUPPORTED_LIMIT, ffi::CUDA_ERROR_INVALID_VALUE];
            match gpu.limit(limit) {
                Ok(value) => assert!(value < 1 << 40, "{limit:?} is {value}"),
                Err(error) => assert!(codes.contains(&error.code().unwrap()), "{error}"),
            }
        }
    });
}

#[test]
fn images_say_how_large_they_are() {
    let cubin = Cubin::new(include_bytes!("../code/signatures.cubin")).unwrap();
    assert_eq!(format!("{cubin:?}"), format!("Cubin({} bytes)", cubin.bytes().len()));
    let fatbin = Fatbin::new(include_bytes!("../code/signatures.lz4.fatbin")).unwrap();
    assert_eq!(format!("{fatbin:?}"), format!("Fatbin({} bytes)", fatbin.bytes().len()));
    let wrong = Cubin::new(SAXPY).unwrap_err();
    assert_eq!(wrong.call(), Some("cuModuleLoadDataEx"));
    let Error::Image(wrong) = wrong else { panic!("{wrong}") };
    assert_eq!(wrong.expected(), image::ImageKind::Cubin);
}

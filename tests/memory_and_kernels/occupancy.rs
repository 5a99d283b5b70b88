//! Occupancy: what fits, and launches that ask for it.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::try_with_gpu;
use crate::common::kernels::{SAXPY, STORE};
use crate::needs_unwinding;
use cuscope::{
    Error, LaunchConfig,
    launch::{BlockSize, OccupancyFlags},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn smaller_blocks_fit_more_often_and_shared_memory_leaves_room_for_fewer() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let occupancy = gpu.occupancy(&store).with_flags(OccupancyFlags::DISABLE_CACHING_OVERRIDE);
        let blocks = |threads, bytes| occupancy.active_blocks(threads, bytes).unwrap();
        assert!(blocks(32, 0) >= blocks(256, 0) && blocks(256, 0) > blocks(1024, 0));
        assert!(blocks(1024, 0) > 0 && blocks(128, 0) > blocks(128, 40_000));
        assert_eq!((blocks(128, 1 << 20), blocks(128, u32::MAX)), (0, 0));
        let all = occupancy.cooperative_blocks(1024, 0)?;
        assert!(all > blocks(1024, 0) && all % blocks(1024, 0) == 0);
        assert!(occupancy.active_blocks(0, 0).is_err());
        let unknown = occupancy.with_flags(OccupancyFlags::from_bits_retain(1 << 20));
        assert!(unknown.active_blocks(32, 0).is_err(), "the driver sees the flags");
        let error = occupancy.active_blocks(u32::MAX, 0).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        let free = |blocks| occupancy.available_shared_bytes(blocks, 64);
        assert!(free(1)? >= 48 << 10 && free(16)? < free(1)?);
        assert!(free(1000).is_err());
        // Clusters: none without, and no more than fit.
        let launch = LaunchConfig::new(32, 64).extended();
        if occupancy.max_cluster_size(&launch)? > 1 {
            assert_eq!(occupancy.active_clusters(&launch)?, 0);
            assert!(occupancy.active_clusters(&launch.cluster(2))? > 0);
            assert!(occupancy.active_clusters(&launch.cluster(3)).is_err());
        }
        Ok(())
    });
}

#[test]
fn the_best_size_fits_and_the_shared_memory_of_each_size_is_asked_for() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let occupancy = gpu.occupancy(&store);
        let BlockSize { threads, min_grid } = occupancy.block_size(0, None)?;
        assert_eq!(min_grid, occupancy.cooperative_blocks(threads, 0)?);
        assert!(occupancy.block_size(0, Some(100))?.threads <= 100);
        // A closure with state, asked about each size that is tried.
        let mut asked = Vec::new();
        let small = occupancy.block_size_with(
            |threads| {
                asked.push(threads);
                if threads > 500 { 300_000 } else { threads }
            },
            None,
        )?;
        assert!(small.threads <= 500 && asked.contains(&small.threads));
        assert!(asked.len() > 16 && asked.is_sorted_by(|a, b| a > b), "{asked:?}");
        // One inside the other.
        let nested = occupancy.block_size_with(
            |threads| {
                let inner = occupancy.block_size_with(|threads| threads * 2, Some(64));
                assert!(inner.unwrap().threads <= 64);
                threads
            },
            Some(256),
        )?;
        assert!(nested.threads <= 256);
        for none in
            [occupancy.block_size(1 << 20, None), occupancy.block_size_with(|_| u32::MAX, None)]
        {
            let error = none.unwrap_err();
            assert!(matches!(error, Error::NothingFits { .. }), "{error}");
            assert!(error.to_string().contains("request less"), "{error}");
        }
        Ok(())
    });
}

#[test]
fn a_panic_in_the_closure_goes_on_in_the_caller() {
    needs_unwinding!("the payload comes up in the caller");
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let occupancy = gpu.occupancy(&store);
        let mut calls = 0;
        let panic = catch_unwind(AssertUnwindSafe(|| {
            occupancy.block_size_with(
                |_| {
                    calls += 1;
                    panic!("no size for you")
                },
                None,
            )
        }));
        let panic = panic.expect_err("it goes on");
        assert_eq!(panic.downcast_ref(), Some(&"no size for you"));
        assert_eq!(calls, 1, "it is not asked again");
        assert!(occupancy.block_size_with(|_| 0, None)?.threads > 0);
        Ok(())
    });
}

#[test]
fn a_launch_by_occupancy_has_a_thread_for_every_element() {
    try_with_gpu(|gpu| {
        let saxpy = gpu.load_ptx(SAXPY)?.function("saxpy")?;
        let stream = gpu.stream()?;
        for n in [1_u32, 1000, 3001] {
            let config = LaunchConfig::by_occupancy(gpu, &saxpy, n as usize, 16)?;
            assert!(config.grid.x * config.block.x >= n && config.shared_bytes == 16);
            assert!((config.grid.x - 1) * config.block.x < n, "no block is idle");
            let (mut x, mut y) = (gpu.alloc(n as usize)?, gpu.alloc(n as usize)?);
            gpu.on(&stream).fill(&mut x, 2.0_f32)?;
            gpu.on(&stream).fill(&mut y, 1.0_f32)?;
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (n, 3.0_f32, &x, &mut y)) }?;
            let mut host = vec![0.0; n as usize];
            gpu.on(&stream).download(&y, &mut host)?;
            assert!(host.iter().all(|&y| y == 7.0));
        }
        Ok(())
    });
}

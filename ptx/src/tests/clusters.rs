//! Clusters: blocks that share their shared memory, and wait for one another.

use super::super::run::Fault;
use super::device::{Loaded, params};

/// A kernel in clusters of a shape, with a pointer to words.
fn kernel(cluster: &str, body: &str) -> Loaded {
    Loaded::new(&format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry test(.param .u64 out) .reqnctapercluster {cluster}\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n\
         .shared .align 16 .b8 words[256]; .shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd0, [out];\n{body}\nret;\n}}\n"
    ))
}

#[test]
fn special_registers() {
    let body = "
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x;
        mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd1, %r4, 48; add.u64 %rd1, %rd0, %rd1;
        mov.u32 %r5, %cluster_ctarank; mov.u32 %r6, %cluster_nctarank;
        mov.u32 %r7, %clusterid.x; mov.u32 %r8, %clusterid.y;
        mov.u32 %r9, %cluster_ctaid.x; mov.u32 %r10, %cluster_ctaid.y;
        mov.u32 %r11, %nclusterid.x; mov.u32 %r12, %nclusterid.y;
        mov.u32 %r13, %cluster_nctaid.x; mov.pred %p1, %is_explicit_cluster; selp.u32 %r14, 1, 0, %p1;
        st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};
        st.global.v4.u32 [%rd1+16], {%r9, %r10, %r11, %r12};
        st.global.v2.u32 [%rd1+32], {%r13, %r14};";
    let loaded = kernel("2, 3", body);
    let out = loaded.device.room(8 * 6 * 48);
    loaded.launch("test", [8, 6, 1], [1; 3], 0, params![out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 8 * 6 * 12);
    for (y, x) in (0..6).flat_map(|y| (0..8).map(move |x| (y, x))) {
        let block = (y * 8 + x) as usize;
        let rank = x % 2 + y % 3 * 2;
        let wanted = [rank, 6, x / 2, y / 3, x % 2, y % 3, 4, 2, 2, 1];
        assert_eq!(got[12 * block..][..10], wanted, "block {x}, {y}");
    }
    // A grid that is not made of whole clusters.
    let odd = loaded.launch("test", [7, 6, 1], [1; 3], 0, params![out]);
    assert_eq!(odd, Err(Fault::IllegalInstruction));
}

/// Each thread adds to the next block's word, in each way to name it, and all read the sums.
#[test]
fn memory_of_other_blocks() {
    let body = "
        mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 3;
        setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [words], %r1;
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
        mapa.shared::cluster.u32 %r4, words, %r3;
        atom.shared::cluster.add.u32 %r5, [%r4], 100;
        cvta.shared.u64 %rd1, words; mapa.u64 %rd2, %rd1, %r3; atom.add.u32 %r5, [%rd2], 1000;
        isspacep.shared::cluster %p2, %rd2; isspacep.shared::cta %p3, %rd2;
        getctarank.u64 %r6, %rd2; getctarank.shared::cluster.u32 %r7, words;
        @%p1 st.u32 [%rd2+4], %r1;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared::cluster.u32 %r8, [%r4]; ld.shared.u32 %r9, [words+4];
        selp.u32 %r10, 1, 0, %p2; selp.u32 %r11, 1, 0, %p3;
        mov.u32 %r12, %ctaid.x; mad.lo.u32 %r12, %r12, 64, %r2; mul.wide.u32 %rd3, %r12, 24; add.u64 %rd3, %rd0, %rd3;
        st.global.v2.u32 [%rd3], {%r8, %r9}; st.global.v2.u32 [%rd3+8], {%r6, %r7};
        st.global.v2.u32 [%rd3+16], {%r10, %r11};
        barrier.cluster.arrive; barrier.cluster.wait;";
    let loaded = kernel("4", body);
    let out = loaded.device.room(12 * 64 * 24);
    loaded.launch("test", [12, 1, 1], [64, 1, 1], 0, params![out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 12 * 64 * 6);
    for block in 0..12 {
        for thread in 0..64 {
            let rank = block as u32 % 4;
            let (next, before) = ((rank + 1) % 4, (rank + 3) % 4);
            let wanted = [next + 64 * 1100, before, next, rank, 1, 0];
            let at = (block * 64 + thread) * 6;
            assert_eq!(got[at..at + 6], wanted, "block {block}, thread {thread}");
        }
    }
}

/// A block waits in a loop for what another one stores, and arrives at its barrier.
#[test]
fn barriers_of_other_blocks() {
    let body = "
        mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared.b64 [bar], 3;
        barrier.cluster.arrive; barrier.cluster.wait;
        @%p1 bra FIRST;
        mapa.shared::cluster.u32 %r2, bar, 0; mapa.shared::cluster.u32 %r3, words, 0;
        shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; st.shared::cluster.u32 [%r3], %r1;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
        bra END;
        FIRST: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0, 100;
        @!%p2 bra FIRST;
        ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [words]; st.global.v4.u32 [%rd0], {%r5, %r6, %r7, %r8};
        END: barrier.cluster.arrive; barrier.cluster.wait;";
    let loaded = kernel("4", body);
    let out = loaded.device.room(16);
    loaded.launch("test", [4, 1, 1], [1; 3], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 4), [0, 1, 2, 3]);
}

#[test]
fn clusters_that_wait_in_vain_run_out_of_time() {
    let half = "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;";
    // The others wait for an arrival that does not come.
    let body = format!("{half} @%p1 bar.sync 1, 64; barrier.cluster.arrive; barrier.cluster.wait;");
    let loaded = kernel("2", &body);
    let out = loaded.device.room(16);
    let end = loaded.launch("test", [2, 1, 1], [32, 1, 1], 0, params![out]);
    assert_eq!(end, Err(Fault::LaunchTimeout));
    // Threads that have exited are not waited for.
    let body = format!("{half} @%p1 exit; barrier.cluster.arrive; barrier.cluster.wait;");
    let loaded = kernel("2", &body);
    loaded.launch("test", [2, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    // A rank that no block has.
    let body = "mov.u32 %r1, 9; mapa.shared::cluster.u32 %r2, words, %r1; ld.shared::cluster.u32 %r3, [%r2];";
    let loaded = kernel("2", body);
    let end = loaded.launch("test", [2, 1, 1], [1; 3], 0, params![out]);
    assert_eq!(end, Err(Fault::IllegalAddress));
}

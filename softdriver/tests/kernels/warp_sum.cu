// One sum per warp, by shuffles; out[w] is that of warp w of the grid.
extern "C" __global__ void warp_sum(unsigned n, const unsigned *x, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = i < n ? x[i] : 0;
    for (int delta = 16; delta > 0; delta /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, delta);
    }
    if (i % 32 == 0) {
        out[i / 32] = sum;
    }
}

// Each kind of warp-wide operation, one row of 32 words each.
extern "C" __global__ void warp_ops(const unsigned *x, unsigned *out) {
    unsigned lane = threadIdx.x;
    unsigned v = x[lane];
    out[lane] = __shfl_xor_sync(0xffffffffu, v, 5);
    out[32 + lane] = __shfl_up_sync(0xffffffffu, v, 3);
    out[64 + lane] = __shfl_sync(0xffffffffu, v, lane + 1, 8);
    out[96 + lane] = __shfl_down_sync(0xffffffffu, v, 2, 4);
    out[128 + lane] = __ballot_sync(0xffffffffu, v & 1);
    out[160 + lane] = (__any_sync(0xffffffffu, v == 7) << 1) | __all_sync(0xffffffffu, v < 1000);
    out[192 + lane] = __match_any_sync(0xffffffffu, v & 3);
    int pred = 0;
    out[224 + lane] = __match_all_sync(0xffffffffu, v & 3, &pred) + pred;
    unsigned part = 0;
    if (lane & 1) {
        part = __activemask();
        part ^= __shfl_xor_sync(0xaaaaaaaau, v, 2);
    } else {
        part = __ballot_sync(0x55555555u, v & 2);
    }
    __syncwarp();
    out[256 + lane] = part;
}

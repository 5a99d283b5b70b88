// Barriers of the whole grid, in a cooperative launch.
#include <cooperative_groups.h>

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Steps of a Jacobi kind over the whole grid: every step reads what other blocks wrote.
extern "C" __global__ void grid_steps(const unsigned *in, unsigned *out, unsigned n)
{
    auto grid = cooperative_groups::this_grid();
    unsigned size = gridDim.x * blockDim.x, *from = out, *to = out + size;
    from[index()] = in[index()];
    grid.sync();
    for (unsigned step = 0; step < n; step++) {
        to[index()] = __ldcg(&from[(index() + 1) % size]) * 3 + __ldcg(&from[(index() + size - 37) % size]);
        grid.sync();
        unsigned *keep = from;
        from = to;
        to = keep;
    }
}

/// The same with a barrier of atomics, written by hand; two counters behind the output.
extern "C" __global__ void grid_by_hand(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned size = gridDim.x * blockDim.x;
    unsigned *arrived = out + 2 * size;
    volatile unsigned *round = out + 2 * size + 1;
    auto sync = [&] {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned now = *round;
            if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
                *arrived = 0;
                __threadfence();
                *round = now + 1;
            } else
                while (*round == now) { }
        }
        __syncthreads();
    };
    unsigned *from = out, *to = out + size;
    from[index()] = in[index()];
    sync();
    for (unsigned step = 0; step < n; step++) {
        to[index()] = __ldcg(&from[(index() + 1) % size]) * 3 + __ldcg(&from[(index() + size - 37) % size]);
        sync();
        unsigned *keep = from;
        from = to;
        to = keep;
    }
}

/// Tiles and groups of a block.
extern "C" __global__ void groups(const unsigned *in, unsigned *out, unsigned n)
{
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    unsigned mine = in[index()];
    for (unsigned step = tile.size() / 2; step; step /= 2) mine += tile.shfl_down(mine, step);
    mine = tile.shfl(mine, 0);
    unsigned votes = tile.ballot(in[index()] & 1);
    block.sync();
    auto some = cg::tiled_partition<32>(block);
    unsigned any = some.any(in[index()] % 61 == 0);
    out[index()] = mine * 3 + votes * 5 + any + block.thread_rank() + tile.meta_group_rank();
}

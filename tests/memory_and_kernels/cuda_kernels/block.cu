// What the threads of a block do together through CUDA's libraries: clusters, barriers that copies tell, scans, sorts
// and reductions of CUB, cooperative groups, atomic references and tensor cores.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <mma.h>

#if __CUDA_ARCH__ >= 900
#define CLUSTER __cluster_dims__(4, 1, 1)
#else
#define CLUSTER
#endif

namespace cg = cooperative_groups;

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" {
__global__ void CLUSTER neighbours(const unsigned *in, unsigned *out, unsigned n);
}

/// Each element beside that of the next block of four, from its shared memory where there are clusters.
extern "C" __global__ void neighbours(const unsigned *in, unsigned *out, unsigned n)
{
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned own[64];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = in[index()];
    cluster.sync();
    unsigned next = cluster.map_shared_rank(own, (cluster.block_rank() + 1) % 4)[threadIdx.x];
    cluster.sync();
#else
    unsigned next = in[(blockIdx.x / 4 * 4 + (blockIdx.x + 1) % 4) * blockDim.x + threadIdx.x];
#endif
    out[index()] = next - 2 * in[index()];
}

/// The elements of a block in reverse, by a copy that one thread starts and a barrier waits for.
extern "C" __global__ void reversed(const unsigned *in, unsigned *out, unsigned n)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) unsigned copy[64];
    __shared__ alignas(8) unsigned char place[sizeof(barrier)];
    barrier &bar = *reinterpret_cast<barrier *>(place);
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::memcpy_async(copy, in + blockIdx.x * 64, cuda::aligned_size_t<16>(sizeof(copy)), bar);
    bar.arrive_and_wait();
    out[index()] = copy[63 - threadIdx.x];
}

/// Sums from the block's first element on, two a thread, and the sum of all of the block.
extern "C" __global__ void block_scan(const uint2 *in, uint2 *out, unsigned n)
{
    using Scan = cub::BlockScan<unsigned, 96>;
    __shared__ typename Scan::TempStorage storage;
    uint2 mine = in[index()];
    unsigned two[2] = {mine.x, mine.y}, all;
    Scan(storage).ExclusiveSum(two, two, all);
    out[index()] = make_uint2(two[0], two[1] ^ all);
}

/// The greatest of a block, and the sum of squares, by two ways of CUB.
extern "C" __global__ void block_reduce(const unsigned *in, unsigned *out, unsigned n)
{
    using Most = cub::BlockReduce<unsigned, 96, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using Sum = cub::BlockReduce<unsigned long long, 96, cub::BLOCK_REDUCE_RAKING>;
    __shared__ union { typename Most::TempStorage most; typename Sum::TempStorage sum; } storage;
    unsigned mine = in[index()];
    unsigned most = Most(storage.most).Reduce(mine, [](unsigned a, unsigned b) { return a < b ? b : a; });
    __syncthreads();
    unsigned long long sum = Sum(storage.sum).Sum((unsigned long long)mine * mine, blockDim.x - 5);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = most;
        out[3 * blockIdx.x + 1] = unsigned(sum);
        out[3 * blockIdx.x + 2] = unsigned(sum >> 32);
    }
}

/// The elements of a block in order, three a thread.
extern "C" __global__ void block_sort(const unsigned *in, unsigned *out, unsigned n)
{
    using Sort = cub::BlockRadixSort<unsigned, 64, 3>;
    __shared__ typename Sort::TempStorage storage;
    unsigned three[3];
    for (int i = 0; i < 3; i++) three[i] = in[index() * 3 + i];
    Sort(storage).Sort(three, 4, 28);
    for (int i = 0; i < 3; i++) out[index() * 3 + i] = three[i];
}

/// Sums and bits of a tile, sums from its first lane on, and the least of the warp's even or odd numbers.
extern "C" __global__ void group_sums(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    out[index() * 4] = cg::reduce(tile, mine, cg::plus<unsigned>());
    out[index() * 4 + 1] = cg::reduce(tile, mine, cg::bit_xor<unsigned>());
    out[index() * 4 + 2] = cg::inclusive_scan(tile, mine, cg::plus<unsigned>());
    auto same = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), mine & 1);
    unsigned sum = cg::reduce(same, mine, cg::less<unsigned>()) + same.thread_rank() * 3 + same.size();
    out[index() * 4 + 3] = sum;
}

/// Counters in shared and in device memory, by references with an order and a scope.
extern "C" __global__ void references(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned counts[16];
    if (threadIdx.x < 16) counts[threadIdx.x] = 0;
    __syncthreads();
    unsigned mine = in[index()];
    cuda::atomic_ref<unsigned, cuda::thread_scope_block>(counts[mine % 16]).fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x < 16)
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(out[threadIdx.x]).fetch_add(counts[threadIdx.x]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(out[16]).fetch_max(mine, cuda::memory_order_acq_rel);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(out[17]).fetch_xor(mine);
}

/// A product of matrices of 16 by 16, of eighths from -2 to 2, on the tensor cores: a warp for each block.
extern "C" __global__ void tensor_half(const unsigned *in, float *out, unsigned n)
{
    using namespace nvcuda::wmma;
    __shared__ half a[256], b[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = __int2half_rn(int(in[blockIdx.x * 512 + i] % 33) - 16) * __float2half(0.125f);
        b[i] = __int2half_rn(int(in[blockIdx.x * 512 + 256 + i] % 33) - 16) * __float2half(0.125f);
    }
    __syncthreads();
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    fill_fragment(sum, 0.5f);
    mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
    store_matrix_sync(out + blockIdx.x * 256, sum, 16, mem_row_major);
}

/// The same of bytes.
extern "C" __global__ void tensor_bytes(const unsigned *in, int *out, unsigned n)
{
    using namespace nvcuda::wmma;
    const signed char *from = reinterpret_cast<const signed char *>(in) + blockIdx.x * 512;
    fragment<matrix_a, 16, 16, 16, signed char, row_major> left;
    fragment<matrix_b, 16, 16, 16, signed char, row_major> right;
    fragment<accumulator, 16, 16, 16, int> sum;
    load_matrix_sync(left, from, 16);
    load_matrix_sync(right, from + 256, 16);
    fill_fragment(sum, -3);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(out + blockIdx.x * 256, sum, 16, mem_col_major);
}

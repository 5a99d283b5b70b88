// Counting.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void histogram_global(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&out[in[i] >> 26], 1u);
}

/// Bytes, counted in shared memory first.
extern "C" __global__ void histogram_shared(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned bins[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (unsigned i = index(); i < n; i += gridDim.x * blockDim.x) {
        uchar4 bytes = *reinterpret_cast<const uchar4 *>(&in[i]);
        atomicAdd(&bins[bytes.x], 1u);
        atomicAdd(&bins[bytes.y], 1u);
        atomicAdd(&bins[bytes.z], 1u);
        atomicAdd(&bins[bytes.w], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

/// One add for all lanes of a warp that have the same bin.
extern "C" __global__ void histogram_match(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned bin = in[index()] >> 28;
    unsigned peers = __match_any_sync(~0u, bin);
    if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&out[bin], __popc(peers));
}

/// Counters of 8 bits of each thread, packed in a local array; summed at the end.
extern "C" __global__ void histogram_private(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned char bins[32] = {};
    for (unsigned i = 0; i < n; i++) bins[in[index() * n + i] >> 27]++;
    for (unsigned i = 0; i < 32; i++)
        if (bins[i]) atomicAdd(&out[i], bins[i]);
}

/// Grey values spread over the whole range by their cumulative histogram; one block.
extern "C" __global__ void equalise(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (unsigned i = t; i < n; i += blockDim.x) atomicAdd(&bins[in[i] >> 26], 1u);
    __syncthreads();
    if (t == 0)
        for (unsigned i = 1; i < 64; i++) bins[i] += bins[i - 1];
    __syncthreads();
    for (unsigned i = t; i < n; i += blockDim.x) out[i] = bins[in[i] >> 26] * 63 / n;
}

// Atomics of all kinds: what is written does not depend on the order.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void atomics_u32(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()], i = index() % 4;
    atomicAdd(&out[i], mine);
    atomicSub(&out[4 + i], mine);
    atomicMin(&out[8 + i], mine); // stays zero
    atomicMax(&out[12 + i], mine);
    atomicAnd(&out[16 + i], mine);
    atomicOr(&out[20 + i], mine & 0x11111111u << i);
    atomicXor(&out[24 + i], mine);
    atomicInc(&out[28 + i], 40);
    atomicDec(&out[32 + i], 25);
    atomicCAS(&out[36 + i], 0, 7 + i);
    atomicExch(&out[40 + i], i * 3);
}

extern "C" __global__ void atomics_i32(const int *in, int *out, unsigned n)
{
    int mine = in[index()], i = index() % 4;
    atomicAdd(&out[i], mine);
    atomicSub(&out[4 + i], mine);
    atomicMin(&out[8 + i], mine);
    atomicMax(&out[12 + i], mine);
    atomicAnd(&out[16 + i], mine);
    atomicOr(&out[20 + i], mine);
    atomicXor(&out[24 + i], mine);
}

extern "C" __global__ void atomics_u64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    unsigned long long mine = in[index()];
    unsigned i = index() % 2;
    atomicAdd(&out[i], mine);
    atomicMin(&out[2 + i], mine);
    atomicMax(&out[4 + i], mine);
    atomicAnd(&out[6 + i], mine);
    atomicOr(&out[8 + i], mine & 0x0101010101010101ull);
    atomicXor(&out[10 + i], mine);
    atomicExch(&out[12 + i], 5ull << 40);
    atomicCAS(&out[14 + i], 0ull, ~0ull);
    atomicMin(reinterpret_cast<long long *>(&out[16 + i]), (long long)mine);
    atomicMax(reinterpret_cast<long long *>(&out[18 + i]), (long long)mine);
}

/// Small integers as floats: every order of the additions gives the same sum.
extern "C" __global__ void atomics_float(const unsigned *in, unsigned *out, unsigned n)
{
    float *single = reinterpret_cast<float *>(out);
    double *real = reinterpret_cast<double *>(out + 4);
    atomicAdd(&single[index() % 4], float(in[index()] >> 24));
    atomicAdd(&real[index() % 2], double(in[index()] >> 8) * 0.5);
    if (index() == 0) atomicExch(&single[8], 2.5f);
}

/// In shared memory, with what each operation returned added up.
extern "C" __global__ void atomics_shared(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned words[8];
    __shared__ unsigned long long wide[4];
    __shared__ double real;
    __shared__ float single;
    unsigned t = threadIdx.x, mine = in[index()];
    if (t < 8) words[t] = 0;
    if (t < 4) wide[t] = 0;
    if (t == 0) { real = 0.0; single = 0.0f; }
    __syncthreads();
    unsigned ticket = atomicAdd(&words[0], 1u); // every number below the block's size, once
    atomicAdd(&words[1], ticket);
    atomicMax(&words[2], mine);
    atomicMin(reinterpret_cast<int *>(&words[3]), int(mine));
    atomicXor(&words[4], mine);
    atomicOr(&words[5], mine & 0x0f0f);
    words[6] = 1;
    atomicInc(&words[7], 100);
    atomicAdd(&wide[0], (unsigned long long)mine << 20);
    atomicMax(&wide[1], (unsigned long long)mine << 9);
    atomicCAS(&wide[2], 0ull, 11ull);
    atomicXor(&wide[3], (unsigned long long)mine << 30);
    atomicAdd(&real, double(mine >> 16));
    atomicAdd(&single, float(mine >> 26));
    __syncthreads();
    unsigned *to = out + blockIdx.x * 20;
    if (t < 8) to[t] = words[t];
    if (t < 4) reinterpret_cast<unsigned long long *>(to + 8)[t] = wide[t];
    if (t == 0) {
        *reinterpret_cast<double *>(to + 16) = real;
        to[18] = __float_as_uint(single);
    }
}

/// A maximum of floats, and a product, by loops around compare-and-swap.
extern "C" __global__ void atomics_cas_loop(const float *in, unsigned *out, unsigned n)
{
    unsigned old = out[0], seen;
    do {
        seen = old;
        if (__uint_as_float(seen) >= in[index()]) break;
        old = atomicCAS(&out[0], seen, __float_as_uint(in[index()]));
    } while (old != seen);
    unsigned long long *wide = reinterpret_cast<unsigned long long *>(out + 2), before = wide[0], was;
    do {
        was = before;
        before = atomicCAS(wide, was, (was | 1) * (2 * index() + 1));
    } while (before != was);
}

/// Compare-and-swap of 16 bits: four counters in 64 bits.
extern "C" __global__ void atomics_16(const unsigned *in, unsigned short *out, unsigned n)
{
    unsigned short *mine = out + index() % 4, old = *mine, seen;
    do {
        seen = old;
        old = atomicCAS(mine, seen, (unsigned short)(seen + 3));
    } while (old != seen);
}

/// The scopes of a block and of the system.
extern "C" __global__ void atomics_scoped(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()];
    atomicAdd_block(&out[blockIdx.x], mine);
    atomicAdd_system(&out[8], mine);
    atomicMax_system(&out[9], mine);
    atomicXor_block(&out[10 + blockIdx.x], mine);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    atomicOr_system(&out[20], 1u << blockIdx.x);
}

/// A lock that one thread of each block takes, with a list that is not atomic behind it.
extern "C" __global__ void spin_lock(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned turn = 0; turn < n; turn++) {
        if (threadIdx.x == 0) {
            while (atomicCAS(&out[0], 0u, 1u)) { }
            __threadfence();
            volatile unsigned *sum = out + 1;
            *sum = *sum + in[blockIdx.x * n + turn];
            __threadfence();
            atomicExch(&out[0], 0u);
        }
        __syncthreads();
    }
}

/// The last block to finish adds up what all have written.
extern "C" __global__ void last_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ bool last;
    atomicAdd(&out[2 + blockIdx.x], in[index()]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&out[0], gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum = sum * 31 + __ldcg(&out[2 + i]);
        out[1] = sum;
    }
}

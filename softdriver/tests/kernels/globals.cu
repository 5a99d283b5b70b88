// A variable and constants of the module, and dynamic shared memory.
__device__ unsigned counter = 5;
__device__ float scratch[4] = {1.5f, -2.0f};
__device__ unsigned *pointer = &counter;
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

extern __shared__ int dynamic[];

extern "C" __global__ void globals(int *out) {
    unsigned t = threadIdx.x;
    dynamic[t] = table[t & 7] * (int)t;
    __syncthreads();
    unsigned seen = atomicAdd(pointer, 1u);
    atomicMax(&counter, seen);
    out[t] = dynamic[blockDim.x - 1 - t] + (int)(scratch[0] * 2.0f + scratch[1]);
}

// Every kind of atomic operation, on words of out.
extern "C" __global__ void atomics(unsigned *out, unsigned long long *wide, float *f, double *d) {
    __shared__ unsigned local;
    unsigned t = threadIdx.x;
    if (t == 0) local = 0;
    __syncthreads();
    atomicAdd(&local, t);
    atomicAdd(&out[0], 2u);
    atomicSub(&out[1], 1u);
    atomicMin(&out[2], t + 3);
    atomicMax((int *)&out[3], (int)t - 7);
    atomicAnd(&out[4], ~(1u << (t & 7)));
    atomicOr(&out[5], 1u << (t & 31));
    atomicXor(&out[6], t);
    atomicInc(&out[7], 10u);
    atomicDec(&out[8], 10u);
    out[16 + t] = atomicExch(&out[9], t);
    atomicCAS(&out[10], 0u, t + 1);
    atomicAdd(wide, 0x100000001ull);
    atomicMax(wide + 1, (unsigned long long)t << 33);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    unsigned old = out[11], assumed;
    do {
        assumed = old;
        old = atomicCAS(&out[11], assumed, assumed * 3 + 1);
    } while (assumed != old);
    __syncthreads();
    if (t == 0) out[12] = local;
}

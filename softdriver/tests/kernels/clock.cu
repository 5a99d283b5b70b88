// Special registers: 16 words for each thread of the grid.
extern "C" __global__ void clocks(unsigned long long *out) {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned long long *o = out + 16ull * (block * threads + thread);
    long long start = clock64();
    unsigned word;
    o[0] = threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20;
    o[1] = blockDim.x | blockDim.y << 10 | blockDim.z << 20;
    o[2] = blockIdx.x | blockIdx.y << 10 | blockIdx.z << 20;
    o[3] = gridDim.x | gridDim.y << 10 | gridDim.z << 20;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(word));
    o[4] = word;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(word));
    o[5] = word;
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(word));
    o[6] = word;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(word));
    o[7] = word;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(word));
    o[8] = word;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(word));
    o[9] = word;
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(word));
    o[10] = word;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(word));
    o[11] = word;
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(word));
    o[12] = word;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(o[13]));
    o[14] = (unsigned)clock();
    o[15] = clock64() - start;
}

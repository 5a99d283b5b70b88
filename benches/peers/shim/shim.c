// A libcuda.so.1 that notes which function is called and goes on to the real one. Functions that a program
// asks cuGetProcAddress for are noted too. x86-64.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE 1024 // functions that cuGetProcAddress finds under no exported name
#define LOGGED 65536

#define NAME(i, name) #name,
static const char *names[NAMES + SPARE] = {
#include "names.inc"
};
#undef NAME

__attribute__((visibility("hidden"))) void *shim_real[NAMES + SPARE];
__attribute__((visibility("hidden"))) unsigned shim_count;
__attribute__((visibility("hidden"))) unsigned short shim_log[LOGGED];

// Notes the number i, and jumps to the real function with its arguments as they are.
#define BODY(i)                                                                                             \
    "movl $1, %eax\n lock xaddl %eax, shim_count(%rip)\n cmpl $65535, %eax\n ja 1f\n"                        \
    "leaq shim_log(%rip), %r11\n movw $" #i ", (%r11,%rax,2)\n"                                             \
    "1: leaq shim_real(%rip), %r11\n jmp *8*" #i "(%r11)\n"
#define NAME(i, name)                                                                                       \
    __asm__(".globl " #name "\n .type " #name ", @function\n" #name ":\n" BODY(i));
#include "forwarded.inc"
#undef NAME

// The spare ones lie in a row, 64 bytes apart.
extern char shim_spare[];
__asm__(".balign 64\n .globl shim_spare\n .hidden shim_spare\n shim_spare:\n"
        ".set i, 0\n .rept 1024\n .balign 64\n"
        "movl $1, %eax\n lock xaddl %eax, shim_count(%rip)\n cmpl $65535, %eax\n ja 1f\n"
        "leaq shim_log(%rip), %r11\n movw $(SHIM_NAMES + i), (%r11,%rax,2)\n"
        "1: leaq shim_real(%rip), %r11\n jmp *8*(SHIM_NAMES + i)(%r11)\n"
        ".set i, i + 1\n .endr\n");
#define STRING_(x) #x
#define STRING(x) STRING_(x)
__asm__(".set SHIM_NAMES, " STRING(NAMES) "\n");

static int spare_used;
static void *self;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    void *real = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    if (!real) {
        fprintf(stderr, "shim: %s\n", dlerror());
        abort();
    }
    Dl_info info;
    dladdr((void *)start, &info);
    self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (int i = 0; i < NAMES; i++)
        shim_real[i] = dlsym(real, names[i]);
}

// Ours for a function of the driver.
static void *counted_function(const char *symbol, void *function) {
    if (!function)
        return function;
    if (strncmp(symbol, "cuGetProcAddress", 16) == 0) // ours, which the caller goes on with
        for (int i = 0; i < NAMES; i++)
            if (shim_real[i] == function)
                return dlsym(self, names[i]);
    pthread_mutex_lock(&lock);
    void *found = function;
    int i = 0;
    while (i < NAMES + spare_used && shim_real[i] != function)
        i++;
    if (i < NAMES)
        found = dlsym(self, names[i]);
    else if (i < NAMES + SPARE) {
        if (i == NAMES + spare_used) {
            shim_real[i] = function;
            names[i] = strdup(symbol);
            spare_used++;
        }
        found = shim_spare + 64 * (i - NAMES);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *real_named(const char *name) {
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return shim_real[i];
    return NULL;
}

int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags) {
    int (*real)(const char *, void **, int, unsigned long long) = real_named("cuGetProcAddress");
    int code = real(symbol, function, version, flags);
    if (code == 0 && function)
        *function = counted_function(symbol, *function);
    return code;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status) {
    int (*real)(const char *, void **, int, unsigned long long, int *) = real_named("cuGetProcAddress_v2");
    int code = real(symbol, function, version, flags, status);
    if (code == 0 && function)
        *function = counted_function(symbol, *function);
    return code;
}

void counted_begin(void) {
    __atomic_store_n(&shim_count, 0, __ATOMIC_SEQ_CST);
}

size_t counted(void) {
    size_t count = __atomic_load_n(&shim_count, __ATOMIC_SEQ_CST);
    return count < LOGGED ? count : LOGGED;
}

const char *counted_name(size_t at) {
    return names[shim_log[at]];
}

/* WebAssembly has a square root among its instructions, rounded as IEEE 754 says. */
#ifndef DTCB_WASM_MATH_H
#define DTCB_WASM_MATH_H

#define HUGE_VAL __builtin_huge_val()
#define sqrt(x) __builtin_sqrt(x)

#endif

/* What architectures reach. Peaks, bandwidths, watts and processors are the cluster's, from data sheets; the constants here
 * are set on published steps, all GPUs of a row together (doc/formulas/step.md tells the rows). */
#include "internal/step.h"

/* clang-format off */
#define HOPPER_FLASH {{0}, {.27, .15, .78}, {.34, .32, .9}, {.48, .46, .8}}
#define BLACKWELL_FLASH {{0}, {.27, .15, .78}, {.40, .34, .8}, {.54, .40, .8}} /* the first two are Hopper's and a guess: no runs */

const dtci_step_gpu_row dtci_step_gpus[] = {
    /* B300, GB300 */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 103, .per_joule = {0, 1.1e12, 2.4e12, 5.2e12}, .sms = 148, .power = 1100, .flash = BLACKWELL_FLASH},
    /* B200, GB200 */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 100, .per_joule = {0, .97e12, 2.3e12, 3.5e12}, .sms = 148, .power = 1000, .flash = BLACKWELL_FLASH},
    /* H100, H200, H800, GH200 */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 90, .per_joule = {0, .91e12, 1.98e12, 0}, .sms = 132, .power = 700, .flash = HOPPER_FLASH},
    /* A100, A800; others of Ampere and Ada by their own data sheets */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 80, .sms = 108, .power = 400, .flash = {{0}, {.50, .255, 1}, {.56, .52, .9}, {.56, .52, .9}}},
    /* V100: A100's, nothing was set */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 70, .sms = 80, .power = 300, .flash = {{0}, {.50, .255, 1}, {.50, .255, 1}, {.50, .255, 1}}},
    /* No run of another maker's is in the tables: Hopper's power law and kernels */
    {.vendor = DTC_VENDOR_DEFAULT, .per_joule = {0, .91e12, 1.98e12, 3.5e12}, .sms = 132, .power = 700, .flash = HOPPER_FLASH},
};
/* clang-format on */
const uint32_t dtci_step_gpus_count = sizeof dtci_step_gpus / sizeof dtci_step_gpus[0];

/* The GPUs that dtc_gpu_find() knows: numbers of the data sheet that the row names. Peaks are dense; where a sheet
 * prints only the figure "with sparsity", which is twice the dense one, it is halved. Bandwidths are per direction;
 * sheets print both directions of NVLink and PCIe together, so these are halved too. `memory` is what the driver's tool
 * reports; `usable` is what PyTorch reports (total_memory, "has a total capacity of" in its out-of-memory message), the
 * smaller where drivers differ. `power` is the highest limit that the sheet allows. `mtbf` is there where a fleet
 * published it. A number that could not be confirmed is left out, and so 0. */
#include "internal/catalog.h"

/* clang-format off */
const dtci_gpu_row dtci_gpus[] = {
    /* Volta */
    {"v100-16gb",
     "V100 data sheet (Jan 2020); memory: nvidia-smi, R450 and later (16160 or 32510 before); usable: torch device "
     "properties 16130 to 16160 MiB; node: DGX-1 with 4 x 100G; sms: V100 architecture white paper; power: SXM2",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 70, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(16384), .usable = DTCI_MIB(16130),
      .sms = 80, .power = 300,
      .fp32 = 15.7e12, .fp16 = 125e12,
      .hbm_bandwidth = 900e9, .nvlink_bandwidth = 150e9, .pcie_bandwidth = 16e9,
      .nic_bandwidth = 12.5e9, .nics_per_node = 4}},
    {"v100-32gb",
     "V100 data sheet (Jan 2020); memory: nvidia-smi, R450 and later (16160 or 32510 before); usable: torch 32494 to "
     "32510 MiB, 31.73 GiB in OOM messages; node: DGX-1 with 4 x 100G; sms: V100 architecture white paper; power: SXM2",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 70, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(32768), .usable = DTCI_MIB(32494),
      .sms = 80, .power = 300,
      .fp32 = 15.7e12, .fp16 = 125e12,
      .hbm_bandwidth = 900e9, .nvlink_bandwidth = 150e9, .pcie_bandwidth = 16e9,
      .nic_bandwidth = 12.5e9, .nics_per_node = 4}},

    /* Ampere */
    {"a100-40gb",
     "A100 data sheet 1758950 r4 (Jun 2021); memory: nvidia-smi (40536 on old drivers); usable: 39.38 GiB in OOM "
     "messages (torch device properties up to 40536 MiB); node: DGX A100 with 8 x 200G; sms: A100 architecture white "
     "paper",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 80, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(40960), .usable = DTCI_MIB(40320),
      .sms = 108, .power = 400,
      .fp32 = 19.5e12, .tf32 = 156e12, .fp16 = 312e12, .bf16 = 312e12, .int8 = 624e12,
      .hbm_bandwidth = 1555e9, .nvlink_bandwidth = 300e9, .pcie_bandwidth = 32e9,
      .nic_bandwidth = 25e9, .nics_per_node = 8}},
    {"a100-80gb",
     "A100 data sheet 1758950 r4 (Jun 2021); memory: nvidia-smi (81251 on old drivers); usable: torch device "
     "properties 81038 to 81251 MiB, 79.14 GiB in OOM messages; node: DGX A100 with 8 x 200G; sms: A100 architecture "
     "white paper; mtbf: 6.50 failures of a node of 8 in 1000 days (arXiv 2410.21680, RSC-1)",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 80, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(81920), .usable = DTCI_MIB(81038),
      .sms = 108, .power = 400, .mtbf = 8 * 24 * 1000 / 6.5,
      .fp32 = 19.5e12, .tf32 = 156e12, .fp16 = 312e12, .bf16 = 312e12, .int8 = 624e12,
      .hbm_bandwidth = 2039e9, .nvlink_bandwidth = 300e9, .pcie_bandwidth = 32e9,
      .nic_bandwidth = 25e9, .nics_per_node = 8}},
    {"a100-80gb-pcie",
     "A100 data sheet 1758950 r4 (Jun 2021), without the optional NVLink bridge; memory: nvidia-smi; usable: as A100 "
     "SXM (torch device properties show 81154 MiB on a new driver, SXM 81153); network: unknown; sms: A100 "
     "architecture white paper",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 80, .nvlink_domain = 1,
      .gpus_per_node = 8, .memory = DTCI_MIB(81920), .usable = DTCI_MIB(81038),
      .sms = 108, .power = 300,
      .fp32 = 19.5e12, .tf32 = 156e12, .fp16 = 312e12, .bf16 = 312e12, .int8 = 624e12,
      .hbm_bandwidth = 1935e9, .pcie_bandwidth = 32e9}},
    {"a800-80gb",
     "A100 data sheet 1758950 r4 with NVLink cut to 400 GB/s in total (A800 product page, NVIDIA); memory: nvidia-smi; "
     "usable: as A100 SXM; node: as HGX A100 with 8 x 200G; sms: A100 architecture white paper",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 80, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(81920), .usable = DTCI_MIB(81038),
      .sms = 108, .power = 400,
      .fp32 = 19.5e12, .tf32 = 156e12, .fp16 = 312e12, .bf16 = 312e12, .int8 = 624e12,
      .hbm_bandwidth = 2039e9, .nvlink_bandwidth = 200e9, .pcie_bandwidth = 32e9,
      .nic_bandwidth = 25e9, .nics_per_node = 8}},

    /* Hopper. The H100 data sheet prints sparse figures only; the white paper prints both */
    {"h100-80gb",
     "H100 architecture white paper, SXM5 dense column; memory: nvidia-smi; usable: 79.10 GiB in OOM messages (torch "
     "device properties 81082 to 81090 MiB on newer drivers); node: DGX H100 with 8 x 400G; mtbf: 419 unexpected "
     "interruptions of 16384 GPUs in 54 days (arXiv 2407.21783, Llama 3)",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(81559), .usable = DTCI_MIB(80994),
      .sms = 132, .power = 700, .mtbf = 16384.0 * 54 * 24 / 419,
      .fp32 = 66.9e12, .tf32 = 494.7e12, .fp16 = 989.4e12, .bf16 = 989.4e12, .fp8 = 1978.9e12, .int8 = 1978.9e12,
      .hbm_bandwidth = 3352e9, .nvlink_bandwidth = 450e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"h100-80gb-pcie",
     "H100 data sheet (2023), PCIe column, sparse figures halved, without the optional NVLink bridge; memory: "
     "nvidia-smi; usable: as H100 SXM; network: unknown; sms: H100 architecture white paper",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 1,
      .gpus_per_node = 8, .memory = DTCI_MIB(81559), .usable = DTCI_MIB(80994),
      .sms = 114, .power = 350,
      .fp32 = 51e12, .tf32 = 378e12, .fp16 = 756.5e12, .bf16 = 756.5e12, .fp8 = 1513e12, .int8 = 1513e12,
      .hbm_bandwidth = 2039e9, .pcie_bandwidth = 64e9}},
    {"h100-nvl",
     "H100 data sheet (2024), NVL column per GPU, sparse figures halved; NVLink bridge joins 2; memory: nvidia-smi; "
     "usable: torch device properties 95320 MiB, 93.09 GiB in OOM messages; network: unknown; sms: torch device "
     "properties",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 2,
      .gpus_per_node = 8, .memory = DTCI_MIB(95830), .usable = DTCI_MIB(95320),
      .sms = 132, .power = 400,
      .fp32 = 60e12, .tf32 = 417.5e12, .fp16 = 835.5e12, .bf16 = 835.5e12, .fp8 = 1670.5e12, .int8 = 1670.5e12,
      .hbm_bandwidth = 3900e9, .nvlink_bandwidth = 300e9, .pcie_bandwidth = 64e9}},
    {"h100-96gb-500w",
     "benchmarks of TorchTitan (Dec 2024): Grand Teton with 96 GB HBM2e at 2.4 TB/s, limit 500 W; peaks, sms: H100 "
     "SXM5, which TorchTitan counts MFU by (its own are not published); memory and usable: as H20, 96 GB too; node: 8 "
     "x 400G",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(97871), .usable = DTCI_MIB(97285),
      .sms = 132, .power = 500,
      .fp32 = 66.9e12, .tf32 = 494.7e12, .fp16 = 989.4e12, .bf16 = 989.4e12, .fp8 = 1978.9e12, .int8 = 1978.9e12,
      .hbm_bandwidth = 2400e9, .nvlink_bandwidth = 450e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"h800-80gb",
     "H100 architecture white paper, SXM5 dense column, NVLink cut to 400 GB/s in total (no NVIDIA data sheet; server "
     "vendors' sheets); memory: nvidia-smi; usable: 79.11 GiB in OOM messages; node: as HGX H100 with 8 x 400G; sms, "
     "power: as H100 SXM",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(81559), .usable = DTCI_MIB(81004),
      .sms = 132, .power = 700,
      .fp32 = 66.9e12, .tf32 = 494.7e12, .fp16 = 989.4e12, .bf16 = 989.4e12, .fp8 = 1978.9e12, .int8 = 1978.9e12,
      .hbm_bandwidth = 3352e9, .nvlink_bandwidth = 200e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"h200",
     "H200 data sheet 3512650 (2024), SXM column: as H100 with 4.8 TB/s; peaks: H100 white paper; memory: nvidia-smi; "
     "usable: torch device properties 143156 MiB, 139.80 GiB in OOM messages; node: DGX H200 with 8 x 400G; sms: torch "
     "device properties",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(143771), .usable = DTCI_MIB(143156),
      .sms = 132, .power = 700,
      .fp32 = 66.9e12, .tf32 = 494.7e12, .fp16 = 989.4e12, .bf16 = 989.4e12, .fp8 = 1978.9e12, .int8 = 1978.9e12,
      .hbm_bandwidth = 4800e9, .nvlink_bandwidth = 450e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"h20",
     "no NVIDIA data sheet; dense peaks and bandwidths as printed by server vendors (96 GB version); memory: "
     "nvidia-smi; usable: torch device properties 97285 MiB; node: as HGX H100 with 8 x 400G; sms: torch device "
     "properties; power: nvidia-smi (server vendors print 400)",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(97871), .usable = DTCI_MIB(97285),
      .sms = 78, .power = 500,
      .fp32 = 44e12, .tf32 = 74e12, .fp16 = 148e12, .bf16 = 148e12, .fp8 = 296e12, .int8 = 296e12,
      .hbm_bandwidth = 4000e9, .nvlink_bandwidth = 450e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"gh200-96gb",
     "GH200 data sheet (96 GB HBM3); peaks: H100 white paper, same GPU; pcie: NVLink-C2C to Grace, 900 GB/s in total; "
     "memory: nvidia-smi; usable: 94.50 GiB in OOM messages; node: one superchip with 1 x 400G; power: nvidia-smi, at "
     "most",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 90, .nvlink_domain = 1,
      .gpus_per_node = 1, .memory = DTCI_MIB(97871), .usable = DTCI_MIB(96763),
      .sms = 132, .power = 900,
      .fp32 = 66.9e12, .tf32 = 494.7e12, .fp16 = 989.4e12, .bf16 = 989.4e12, .fp8 = 1978.9e12, .int8 = 1978.9e12,
      .hbm_bandwidth = 4000e9, .nvlink_bandwidth = 450e9, .pcie_bandwidth = 450e9,
      .nic_bandwidth = 50e9, .nics_per_node = 1}},

    /* Blackwell. The data sheets print dense FP4, all other types sparse only */
    {"b200",
     "HGX B200 data sheet / 8, sparse halved; hbm: Blackwell technical brief (driver: 7680 bit at 3996 MHz); memory: "
     "nvidia-smi; usable: torch device properties 182631 MiB, 178.35 GiB in OOM messages; node: DGX B200, 8 x 400G; "
     "sms: torch device properties",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 100, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(183359), .usable = DTCI_MIB(182631),
      .sms = 148, .power = 1000,
      .fp32 = 75e12, .tf32 = 1125e12, .fp16 = 2250e12, .bf16 = 2250e12, .fp8 = 4500e12, .fp4 = 9000e12,
      .int8 = 4500e12, .hbm_bandwidth = 7700e9, .nvlink_bandwidth = 900e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"b300",
     "HGX B300 data sheet / 8 (FP4 108 PFLOPS dense), others sparse halved; int8, hbm, PCIe Gen6: Blackwell Ultra data "
     "sheet; memory: nvidia-smi; usable: 267.69 GiB in OOM messages; node: DGX B300, 8 x 800G; sms: torch device "
     "properties; power: Blackwell Ultra data sheet",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 103, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(275040), .usable = DTCI_MIB(274110),
      .sms = 148, .power = 1100,
      .fp32 = 75e12, .tf32 = 1125e12, .fp16 = 2250e12, .bf16 = 2250e12, .fp8 = 4500e12, .fp4 = 13500e12,
      .int8 = 153.5e12, .hbm_bandwidth = 7700e9, .nvlink_bandwidth = 900e9, .pcie_bandwidth = 128e9,
      .nic_bandwidth = 100e9, .nics_per_node = 8}},
    {"gb200",
     "GB200 NVL72 data sheet / 72, sparse halved; pcie: NVLink-C2C, 900 GB/s in total for 2 GPUs; memory: nvidia-smi; "
     "usable: 184.31 GiB in OOM messages; node: NVL72 compute tray, 4 x 400G; sms: torch device properties; power: "
     "Blackwell data sheet",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 100, .nvlink_domain = 72,
      .gpus_per_node = 4, .memory = DTCI_MIB(189471), .usable = DTCI_MIB(188729),
      .sms = 152, .power = 1200,
      .fp32 = 80e12, .tf32 = 1250e12, .fp16 = 2500e12, .bf16 = 2500e12, .fp8 = 5000e12, .fp4 = 10000e12,
      .int8 = 5000e12, .hbm_bandwidth = 8000e9, .nvlink_bandwidth = 900e9, .pcie_bandwidth = 225e9,
      .nic_bandwidth = 50e9, .nics_per_node = 4}},
    {"gb300",
     "Blackwell Ultra data sheet, GB300 column (FP4 15 PFLOPS dense), others sparse halved; pcie: NVLink-C2C, 900 GB/s "
     "for 2 GPUs; memory: nvidia-smi; usable: 276.50 GiB in OOM messages; node: NVL72 tray, 4 x 800G; sms: torch "
     "device properties",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 103, .nvlink_domain = 72,
      .gpus_per_node = 4, .memory = DTCI_MIB(284208), .usable = DTCI_MIB(283131),
      .sms = 152, .power = 1400,
      .fp32 = 80e12, .tf32 = 1250e12, .fp16 = 2500e12, .bf16 = 2500e12, .fp8 = 5000e12, .fp4 = 15000e12,
      .int8 = 165e12, .hbm_bandwidth = 8000e9, .nvlink_bandwidth = 900e9, .pcie_bandwidth = 225e9,
      .nic_bandwidth = 100e9, .nics_per_node = 4}},

    /* AMD; an MI250X is two devices (GCD) to PyTorch */
    {"mi250x",
     "MI250X data sheet, halved: one GCD; memory and usable: torch device properties 65520 MiB; fabric: links differ "
     "by pair, unknown; node: Frontier and LUMI, 8 GCD with 4 x 200G; power: 560 W at most for both",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_AMD, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(65520), .usable = DTCI_MIB(65520),
      .sms = 110, .power = 280,
      .fp32 = 23.95e12, .fp16 = 191.5e12, .bf16 = 191.5e12, .int8 = 191.5e12,
      .hbm_bandwidth = 1638.4e9, .nic_bandwidth = 25e9, .nics_per_node = 4}},
    {"mi300x",
     "MI300X data sheet, figures without sparsity; fabric: 7 links of 128 GB/s in total; memory and usable: torch "
     "device properties 196592 MiB; node: 8 with 8 x 400G",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_AMD, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(196592), .usable = DTCI_MIB(196592),
      .sms = 304, .power = 750,
      .fp32 = 163.4e12, .tf32 = 653.7e12, .fp16 = 1307.4e12, .bf16 = 1307.4e12, .fp8 = 2614.9e12, .int8 = 2614.9e12,
      .hbm_bandwidth = 5300e9, .nvlink_bandwidth = 448e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"mi325x",
     "MI325X data sheet, figures without sparsity; fabric: 7 links of 128 GB/s in total; memory and usable: "
     "255.98 GiB in OOM messages; node: 8 with 8 x 400G",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_AMD, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(262128), .usable = DTCI_MIB(262128),
      .sms = 304, .power = 1000,
      .fp32 = 163.4e12, .tf32 = 653.7e12, .fp16 = 1307.4e12, .bf16 = 1307.4e12, .fp8 = 2614.9e12, .int8 = 2614.9e12,
      .hbm_bandwidth = 6000e9, .nvlink_bandwidth = 448e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"mi355x",
     "MI355X data sheet, figures without sparsity (no TF32); fabric: 7 links of 153.6 GB/s in total; memory and "
     "usable: 287.98 GiB in OOM messages; node: 8 with 8 x 400G",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_AMD, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(294896), .usable = DTCI_MIB(294896),
      .sms = 256, .power = 1400,
      .fp32 = 157.3e12, .fp16 = 2516.6e12, .bf16 = 2516.6e12, .fp8 = 5033.2e12, .fp4 = 10066.3e12, .int8 = 5033.2e12,
      .hbm_bandwidth = 8000e9, .nvlink_bandwidth = 537.6e9, .pcie_bandwidth = 64e9,
      .nic_bandwidth = 50e9, .nics_per_node = 8}},

    /* Cards without NVLink; GeForce peaks are those with fp32 accumulation */
    {"l40s",
     "L40S data sheet 2907810 (Sep 2023), dense column; memory: nvidia-smi with ECC; usable: 44.39 GiB in OOM messages "
     "(torch device properties up to 45589 MiB); network: unknown; sms: 18176 cores / 128",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 89, .nvlink_domain = 1,
      .gpus_per_node = 8, .memory = DTCI_MIB(46068), .usable = DTCI_MIB(45451),
      .sms = 142, .power = 350,
      .fp32 = 91.6e12, .tf32 = 183e12, .fp16 = 362.05e12, .bf16 = 362.05e12, .fp8 = 733e12, .int8 = 733e12,
      .hbm_bandwidth = 864e9, .pcie_bandwidth = 32e9}},
    {"a10g",
     "A10G data sheet, dense column; memory: nvidia-smi with ECC; usable: torch device properties 22587 MiB; node: AWS "
     "g5.12xlarge, 4 with 40G; sms: torch device properties",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 86, .nvlink_domain = 1,
      .gpus_per_node = 4, .memory = DTCI_MIB(23028), .usable = DTCI_MIB(22587),
      .sms = 80, .power = 300,
      .fp32 = 35e12, .tf32 = 35e12, .fp16 = 70e12, .bf16 = 70e12, .int8 = 140e12,
      .hbm_bandwidth = 600e9, .pcie_bandwidth = 32e9, .nic_bandwidth = 5e9, .nics_per_node = 1}},
    {"rtx-3090",
     "GA102 architecture white paper, dense; without the optional NVLink bridge; memory: nvidia-smi; usable: "
     "torch device properties 24124 to 24268 MiB; network: unknown",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 86, .nvlink_domain = 1,
      .gpus_per_node = 4, .memory = DTCI_MIB(24576), .usable = DTCI_MIB(24124),
      .sms = 82, .power = 350,
      .fp32 = 35.6e12, .tf32 = 35.6e12, .fp16 = 71e12, .bf16 = 71e12, .int8 = 284e12,
      .hbm_bandwidth = 936e9, .pcie_bandwidth = 32e9}},
    {"rtx-4090",
     "Ada architecture white paper, dense; memory: nvidia-smi; usable: torch device properties 24080 MiB on Linux "
     "(24563 on Windows); network: unknown",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 89, .nvlink_domain = 1,
      .gpus_per_node = 4, .memory = DTCI_MIB(24564), .usable = DTCI_MIB(24080),
      .sms = 128, .power = 450,
      .fp32 = 82.6e12, .tf32 = 82.6e12, .fp16 = 165.2e12, .bf16 = 165.2e12, .fp8 = 330.3e12, .int8 = 660.6e12,
      .hbm_bandwidth = 1008e9, .pcie_bandwidth = 32e9}},
    {"rtx-5090",
     "RTX Blackwell architecture white paper, dense; memory: nvidia-smi; usable: torch device properties 32102 to "
     "32120 MiB; network: unknown",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_NVIDIA, .compute = 120, .nvlink_domain = 1,
      .gpus_per_node = 4, .memory = DTCI_MIB(32607), .usable = DTCI_MIB(32102),
      .sms = 170, .power = 575,
      .fp32 = 104.8e12, .tf32 = 104.8e12, .fp16 = 209.5e12, .bf16 = 209.5e12, .fp8 = 419e12, .fp4 = 1676e12,
      .int8 = 838e12, .hbm_bandwidth = 1792e9, .pcie_bandwidth = 64e9}},

    /* Huawei */
    {"ascend-910b",
     "no public data sheet; 910B3 (64 GB): fp16 and hbm as users of CANN state them, bf16 at the same rate; fabric: "
     "HCCS 7 links, 392 GB/s in total; memory: npu-smi; usable: 60.96 GiB in OOM messages; node: Atlas 800T A2, 8 x "
     "200G; sms: AI cores, as users of CANN state them",
     {.struct_size = sizeof(dtc_cluster), .vendor = DTC_VENDOR_HUAWEI, .nvlink_domain = 8,
      .gpus_per_node = 8, .memory = DTCI_MIB(65536), .usable = DTCI_MIB(62418),
      .sms = 20,
      .fp16 = 313e12, .bf16 = 313e12,
      .hbm_bandwidth = 1600e9, .nvlink_bandwidth = 196e9, .nic_bandwidth = 25e9, .nics_per_node = 8}},
};
/* clang-format on */

const size_t dtci_gpus_count = sizeof dtci_gpus / sizeof dtci_gpus[0];

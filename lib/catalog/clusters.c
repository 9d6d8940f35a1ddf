/* The machine types that dtc_cluster_find() knows: a GPU row and what differs from its usual node. Only ports that
 * carry training traffic count, not those for storage and management. `node_power` is what the data sheet lets the
 * system draw, less the limits of its GPUs; `host_bandwidth` the peak of the memory channels of its CPUs. No sheet says
 * what its NVMe drives write. */
#include "internal/catalog.h"

/* clang-format off */
const dtci_cluster_row dtci_clusters[] = {
    /* NVIDIA */
    {"dgx-a100",
     "DGX A100 640GB data sheet: 8 x 200G InfiniBand, 2 TB; 6.5 kW, 2 EPYC 7742 (204.8 GB/s each)", "a100-80gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .node_power = 6500 - 8 * 400, .host_bandwidth = 409.6e9}},
    {"dgx-a100-40gb",
     "DGX A100 320GB data sheet: 8 x 200G InfiniBand, 1 TB; 6.5 kW, 2 EPYC 7742 (204.8 GB/s each)", "a100-40gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 8, .host_memory = DTCI_GIB(1024),
      .node_power = 6500 - 8 * 400, .host_bandwidth = 409.6e9}},
    {"hgx-h100",
     "HGX H100 reference: one 400G port per GPU; host memory is the server maker's choice", "h100-80gb",
     {.nic_bandwidth = 50e9, .nics_per_node = 8}},
    {"dgx-h100",
     "DGX H100 data sheet: 8 x 400G on 4 OSFP ports, 2 TB; 10.2 kW; 2 Xeon 8480C: 16 channels of DDR5 with 2 DIMMs "
     "each (4400 MT/s)", "h100-80gb",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .node_power = 10200 - 8 * 700, .host_bandwidth = 563.2e9}},
    {"dgx-h200",
     "DGX H200 data sheet: 8 x 400G on 4 OSFP ports, 2 TB; 10.2 kW; 2 Xeon 8480C: 16 channels of DDR5 with 2 DIMMs "
     "each (4400 MT/s)", "h200",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .node_power = 10200 - 8 * 700, .host_bandwidth = 563.2e9}},
    {"dgx-b200",
     "DGX B200 data sheet: 8 x 400G on 4 OSFP ports, 2 TB (up to 4); 14.3 kW; 2 Xeon 8570: 16 channels of DDR5 with 2 "
     "DIMMs each (4400 MT/s)", "b200",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .node_power = 14300 - 8 * 1000, .host_bandwidth = 563.2e9}},
    {"dgx-b300",
     "DGX B300 data sheet: 8 x 800G (ConnectX-8), 2 TB (up to 4); 14.5 kW", "b300",
     {.nic_bandwidth = 100e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .node_power = 14500 - 8 * 1100}},
    {"gb200-nvl72",
     "GB200 NVL72 data sheet: compute tray of 2 Grace (480 GB each) and 4 GPUs, 4 x 400G; Grace data sheet: 384 GB/s "
     "with 480 GB", "gb200",
     {.nvlink_domain = 72, .nic_bandwidth = 50e9, .nics_per_node = 4, .gpus_per_node = 4,
      .host_memory = 960000000000, .host_bandwidth = 768e9}},
    {"gb300-nvl72",
     "GB300 NVL72 data sheet: compute tray of 2 Grace (480 GB each) and 4 GPUs, 4 x 800G (ConnectX-8); Grace data "
     "sheet: 384 GB/s with 480 GB", "gb300",
     {.nvlink_domain = 72, .nic_bandwidth = 100e9, .nics_per_node = 4, .gpus_per_node = 4,
      .host_memory = 960000000000, .host_bandwidth = 768e9}},

    /* Amazon EC2; ports are EFA network cards */
    {"aws-p4d",
     "EC2 instance types, p4d.24xlarge: 4 x 100G, 1152 GiB", "a100-40gb",
     {.nic_bandwidth = 12.5e9, .nics_per_node = 4, .host_memory = DTCI_GIB(1152),
      .fabric = DTC_FABRIC_EFA_V1}},
    {"aws-p4de",
     "EC2 instance types, p4de.24xlarge: 4 x 100G, 1152 GiB", "a100-80gb",
     {.nic_bandwidth = 12.5e9, .nics_per_node = 4, .host_memory = DTCI_GIB(1152),
      .fabric = DTC_FABRIC_EFA_V1}},
    {"aws-p5",
     "EC2 instance types, p5.48xlarge: 32 x 100G, 2048 GiB", "h100-80gb",
     {.nic_bandwidth = 12.5e9, .nics_per_node = 32, .host_memory = DTCI_GIB(2048),
      .fabric = DTC_FABRIC_EFA}},
    {"aws-p5e",
     "EC2 instance types, p5e.48xlarge: 32 x 100G, 2048 GiB", "h200",
     {.nic_bandwidth = 12.5e9, .nics_per_node = 32, .host_memory = DTCI_GIB(2048),
      .fabric = DTC_FABRIC_EFA}},
    {"aws-p5en",
     "EC2 instance types, p5en.48xlarge: 16 x 200G, 2048 GiB", "h200",
     {.nic_bandwidth = 25e9, .nics_per_node = 16, .host_memory = DTCI_GIB(2048),
      .fabric = DTC_FABRIC_EFA}},
    {"aws-p6-b200",
     "EC2 instance types, p6-b200.48xlarge: 8 x 400G, 2048 GiB", "b200",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2048),
      .fabric = DTC_FABRIC_EFA}},

    /* Azure */
    {"azure-nd-a100-v4",
     "Azure VM sizes, Standard_ND96asr_v4: 8 x 200G InfiniBand, 900 GiB", "a100-40gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 8, .host_memory = DTCI_GIB(900)}},
    {"azure-ndm-a100-v4",
     "Azure VM sizes, Standard_ND96amsr_A100_v4: 8 x 200G InfiniBand, 1900 GiB", "a100-80gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 8, .host_memory = DTCI_GIB(1900)}},
    {"azure-nd-h100-v5",
     "Azure VM sizes, Standard_ND96isr_H100_v5: 8 x 400G InfiniBand, 1900 GiB", "h100-80gb",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(1900)}},
    {"azure-nd-h200-v5",
     "Azure VM sizes, Standard_ND96isr_H200_v5: 8 x 400G InfiniBand, 1850 GiB", "h200",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(1850)}},

    /* Google Cloud; its documentation writes GB for 2^30 bytes */
    {"gcp-a2-ultra",
     "Compute Engine machine types, a2-ultragpu-8g: 1 x 100G, 1360 GB", "a100-80gb",
     {.nic_bandwidth = 12.5e9, .nics_per_node = 1, .host_memory = DTCI_GIB(1360)}},
    {"gcp-a3-high",
     "Compute Engine machine types, a3-highgpu-8g: 4 x 200G beside the host's port, 1872 GB", "h100-80gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 4, .host_memory = DTCI_GIB(1872),
      .fabric = DTC_FABRIC_TCPX}},
    {"gcp-a3-mega",
     "Compute Engine machine types, a3-megagpu-8g: 8 x 200G beside the host's port, 1872 GB", "h100-80gb",
     {.nic_bandwidth = 25e9, .nics_per_node = 8, .host_memory = DTCI_GIB(1872),
      .fabric = DTC_FABRIC_TCPXO}},
    {"gcp-a3-ultra",
     "Compute Engine machine types, a3-ultragpu-8g: 8 x 400G beside the host's ports, 2952 GB", "h200",
     {.nic_bandwidth = 50e9, .nics_per_node = 8, .host_memory = DTCI_GIB(2952),
      .fabric = DTC_FABRIC_GCP_ROCE}},

    /* a server without NVLink */
    {"pcie-node",
     "generic: 8 cards without NVLink bridges behind one 200G port, no product", "a100-80gb-pcie",
     {.nic_bandwidth = 25e9, .nics_per_node = 1}},
};
/* clang-format on */

const size_t dtci_clusters_count = sizeof dtci_clusters / sizeof dtci_clusters[0];

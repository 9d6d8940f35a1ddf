"""On how many GPUs does a model fit?  python3 fit.py llama-2-70b h100-80gb"""
import sys

import dtcore

model = dtcore.model_find(sys.argv[1] if len(sys.argv) > 1 else "llama-2-70b")
cluster = dtcore.gpu_find(sys.argv[2] if len(sys.argv) > 2 else "h100-80gb")
plan = dtcore.Plan(sharding=dtcore.Sharding.ZERO3, recompute=dtcore.Recompute.FULL)

fit = dtcore.memory_min_gpus(model, cluster, plan)
print(f"{fit.gpus} GPUs, {fit.device / 2**30:.2f} of {fit.capacity / 2**30:.2f} GiB each")
sys.exit(0 if fit.gpus else 1)

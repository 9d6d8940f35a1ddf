"""On how many GPUs does a model fit?  python3 fit.py llama-2-70b h100-80gb"""
import sys

import dtcore

model = dtcore.model_find(sys.argv[1] if len(sys.argv) > 1 else "llama-2-70b")
cluster = dtcore.gpu_find(sys.argv[2] if len(sys.argv) > 2 else "h100-80gb")
plan = dtcore.Plan(sharding="zero3", recompute="full")

fit, plan = dtcore.memory_min_gpus(model, cluster, plan)
print(f"{fit.gpus} GPUs, {fit.device / 2**30:.2f} of {fit.capacity / 2**30:.2f} GiB each")
print(dtcore.plan_format(plan))
sys.exit(0 if fit.gpus else 1)

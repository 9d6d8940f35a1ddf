"""Short texts of each dialect, for calls of dtc_framework_lint() with random inputs."""
TEXTS = {
    "deepspeed": [
        '{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 3}}',
        '{"train_batch_size": 10, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 3, "fp16": {}}',
        '{"fp16": {"enabled": true}, "bf16": {"enabled": true}, "zero_optimization": {"stage": 4, "overlap_com": 1}}',
        '{"optimizer": {"type": "OneBitAdam"}, "train_batch_size": "auto", "zero_optimization": {"stage": 2}}',
    ],
    "megatron": [
        "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
        "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 3",
        "export CUDA_DEVICE_MAX_CONNECTIONS=1\n--num-experts 8 --expert-model-parallel-size 3 \\ # cut\n--bf16\n",
        'A="--num-layers 4 --pp 2"\nB=(--fp16 --bf16)\npython pretrain_gpt.py $A ${B[@]} --pipeline-model-parallel-layout E|t',
    ],
    "torchtitan": [
        '{"parallelism": {"tensor_parallel_degree": 8, "pipeline_parallel_degree": 2}, "training": {"steps": 10}}',
        '{"parallelism": {"context_parallel_degree": 3}, "compile": {"enable": "x"}, "nothing": 1}',
    ],
    "colossalai": [
        '{"plugin": "HybridParallelPlugin", "tp_size": 2, "pp_size": 2, "zero_stage": 2, "sp_size": 2}',
        '{"plugin": "GeminiPlugin", "precision": "fp32", "placement_policy": "static"}',
    ],
    "accelerate": [
        '{"distributed_type": "FSDP", "num_processes": 8, "fsdp_config": {"fsdp_version": 2, "fsdp_offload_params": 1}}',
        '{"distributed_type": "DEEPSPEED", "num_machines": 3, "deepspeed_config": {"zero_stage": 3}}',
    ],
    "trainer": ["python run.py --fp16 --bf16 --fsdp 'full_shard x' --deepspeed a.json --per_device_train_batch_size 4"],
    "hostfile": ["a slots=8\nb slots=4\na slots=2\n", "a slots=8\nb slots=8\n--include=a:0,1@c\n--num_gpus=2\n"],
    "slurm": [
        "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=8\n#SBATCH --gres=gpu:8\n# SBATCH --time=1\n"
        "srun torchrun --nproc_per_node=8 x.py\n#SBATCH --exclusive\n",
    ],
    "torchrun": ["torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --master-addr localhost x.py --nnodes 3"],
    "nccl": [
        "export NCCL_IB_HCA=mlx5_1\nNCCL_SOCKET_IFNAME=eth0,docker0\nNCCL_ALGO=rign\nNCCL_DEBUGG=INFO\n",
        "NCCL_IB_HCA=^=mlx5_0:1\nNCCL_IB_DISABLE=1\nNCCL_NET=IB\neth0 UP 10.0.0.1/8\neth1 UP 10.0.0.2/8\n",
    ],
}
ALL = [text for texts in TEXTS.values() for text in texts]
HCA = ["mlx5_1", "=mlx5_1", "^=mlx5_0:1,mlx5_1", "^", ""]
DEVICES = ["mlx5_0:1 mlx5_1:1 mlx5_10:1", " ib0:2\n", "mlx5_0"]

torchrun --nproc_per_node 8 run_clm.py --per_device_train_batch_size 4 --bf16 --fp16 --fsdp full_shard --deepspeed ds.json

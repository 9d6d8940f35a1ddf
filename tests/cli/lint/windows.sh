torchrun pretrain.py --num-layers 4 \
  --hidden-size 64

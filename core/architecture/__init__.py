"""What a model is made of: attention and recurrent layers, experts, and parameters per class of tensor."""

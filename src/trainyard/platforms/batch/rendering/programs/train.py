"""A training that takes a minute: a small network by data parallelism on every accelerator of every node.

It shows that torchrun starts all ranks, that they reach each other, and that they end with the same weights. Your own
program takes its place.

https://docs.pytorch.org/docs/stable/elastic/run.html
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any

import torch
import torch.distributed as dist

STEPS = int(os.environ.get("TRAINYARD_STEPS", "200"))
EVERY = 50
FEATURES, BATCH = 64, 256


def main() -> int:
    """Train, and return 0 where all ranks agree and the loss has become smaller."""
    device = begin()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    truth = torch.randn(FEATURES, 1)
    model: Any = torch.nn.Sequential(torch.nn.Linear(FEATURES, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(rank + 1)  # every rank has data of its own
    first = last = trained(model, optimizer, truth, device, ranks)
    for step in range(1, STEPS):
        last = trained(model, optimizer, truth, device, ranks)
        if step % EVERY == 0:
            say(rank, f"step {step}: loss {last:.4f}")
    apart = distance(model)
    say(rank, f"{ranks} ranks on {device.type}: loss {first:.4f} to {last:.4f}, weights {apart:.2e} apart")
    dist.destroy_process_group()
    return 0 if apart == 0 and last < first else 1


def begin() -> torch.device:
    """Join the other ranks by what the node has: Neuron, GPUs of NVIDIA, or its CPUs."""
    if importlib.util.find_spec("torch_xla") is not None:
        # https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/programming-guide/training/pytorch-neuron-programming-guide.html
        importlib.import_module("torch_xla.distributed.xla_backend")  # it registers the backend
        dist.init_process_group("xla")
        return torch.device("xla")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
        return device
    dist.init_process_group("gloo")
    return torch.device("cpu")


def trained(model: Any, optimizer: Any, truth: torch.Tensor, device: torch.device, ranks: int) -> float:
    """Make one step with the mean of all ranks' gradients, and return the loss of this rank."""
    inputs = torch.randn(BATCH, FEATURES)
    wanted = (inputs @ truth).to(device)
    loss = torch.nn.functional.mse_loss(model(inputs.to(device)), wanted)
    optimizer.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= ranks
    optimizer.step()
    return float(loss.item())


def distance(model: Any) -> float:
    """Return how far the weights of the ranks are apart at most."""
    weights = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    most, least = weights.clone(), weights.clone()
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    dist.all_reduce(least, op=dist.ReduceOp.MIN)
    return float((most - least).abs().max().item())


def say(rank: int, text: str) -> None:
    """Print it once, and not once a rank."""
    if rank == 0:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

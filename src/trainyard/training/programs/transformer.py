"""A small transformer on synthetic data, trained by torch's DDP or FSDP2: the acceptance test of a cluster.

    torchrun --nproc-per-node 8 transformer.py --strategy fsdp --checkpoints /fsx/runs/first --steps 1000

124 million parameters unless told otherwise (GPT-2's smallest), NCCL where there are GPUs and gloo where there are
none. It goes on by itself from the newest checkpoint that is whole. The data of a step follow from its number alone
and not from how many ranks there are, so a run that was interrupted has the losses of one that was not.
A SIGTERM, a SIGUSR1 or the file that TRAINYARD_STOP names let it write a checkpoint and end with status 0.
Takes torch from 2.6, which has FSDP2 as torch.distributed.fsdp.fully_shard.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.functional import cross_entropy, scaled_dot_product_attention
from torch.nn.parallel import DistributedDataParallel
from trainyard_progress import Progress  # it lies beside this file, also on the nodes

_MANIFEST = "manifest.json"
_SEED = 20_261_123


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", choices=("ddp", "fsdp"), default="fsdp")
    parser.add_argument("--checkpoints", type=Path, required=True, metavar="DIR", help="on a file system all nodes see")
    parser.add_argument("--interval-steps", type=int, default=0, help="a checkpoint after so many steps")
    parser.add_argument("--interval-s", type=float, default=0.0, help="a checkpoint after so many seconds")
    parser.add_argument("--keep", type=int, default=2, help="how many checkpoints stay")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--global-batch", type=int, default=0, help="sequences a step; by default 8 a rank")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--vocabulary", type=int, default=50_304)
    parser.add_argument("--rate", type=float, default=6e-4, help="the learning rate after 10 steps")
    parser.add_argument(
        "--least-step-s", type=float, default=0.0, help="no step is shorter: for rehearsals of failures"
    )
    parser.add_argument("--timeout-s", type=float, default=600.0, help="how long a rank waits for the others")
    return parser.parse_args()


class Block(nn.Module):
    """Attention and two layers behind it."""

    def __init__(self, width: int, heads: int) -> None:
        """Make one, with normalisation in front of each half."""
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_layers = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        """Return what goes to the next block."""
        batch, length, width = x.shape
        qkv = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        attended = scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.layers(self.before_layers(x))


class Transformer(nn.Module):
    """A decoder, as GPT-2: https://huggingface.co/openai-community/gpt2."""

    def __init__(self, shape: argparse.Namespace) -> None:
        """Make one; the embedding is the output's too."""
        super().__init__()
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.context, shape.width)
        self.blocks = nn.ModuleList(Block(shape.width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, tokens: Any) -> Any:
        """Return the logits of the token after each."""
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tokens.weight.T


def flops_per_token(parameters: int, shape: argparse.Namespace) -> int:
    """Return what training takes: 6 for each parameter and 12 x layers x width x context for attention.

    PaLM, appendix B: https://arxiv.org/abs/2204.02311.
    """
    attention: int = 12 * shape.layers * shape.width * shape.context
    return 6 * parameters + attention


def batch_of(step: int, shape: argparse.Namespace, rank: int, ranks: int, sequences: int) -> Any:
    """Return the tokens of a rank: each is three times the one before and five, and one in ten is noise."""
    chance = torch.Generator().manual_seed(_SEED + step)
    size = (sequences, shape.context + 1)
    noise = torch.randint(shape.vocabulary, size, generator=chance)
    is_noise = torch.rand(size, generator=chance) < 0.1
    tokens = noise.clone()
    for at in range(1, size[1]):
        follows = (3 * tokens[:, at - 1] + 5) % shape.vocabulary
        tokens[:, at] = torch.where(is_noise[:, at], noise[:, at], follows)
    return tokens[rank::ranks]


class Checkpoints:
    """Checkpoints in a folder: one is there whole, under its own name, or it is none."""

    def __init__(self, folder: Path, keep: int, progress: Progress) -> None:
        """Begin, and clear away what an attempt before has left half-written."""
        self.folder, self.keep, self.progress = folder, keep, progress
        self._damaged: set[Path] = set()
        if dist.get_rank() == 0:
            folder.mkdir(parents=True, exist_ok=True)
            for left in folder.glob("*.partial"):
                shutil.rmtree(left, ignore_errors=True)
        dist.barrier()

    def load(self, model: nn.Module, optimizer: Any) -> int:
        """Load the newest whole checkpoint and return the step to go on with, 0 where there is none."""
        newest: list[str | None] = [
            next((str(place) for place in self._whole()), None) if dist.get_rank() == 0 else None
        ]
        dist.broadcast_object_list(newest, src=0)
        if newest[0] is None:
            return 0
        self.progress.event("load_begin")
        model_state, optimizer_state = get_state_dict(model, optimizer)
        state = {"model": model_state, "optimizer": optimizer_state, "step": 0}
        dcp.load(state, checkpoint_id=newest[0])
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        self.progress.event("load_end", step=state["step"])
        return int(state["step"])

    def save(self, model: nn.Module, optimizer: Any, step: int) -> None:
        """Write a checkpoint. Where that fails, on a full disk for instance, training goes on and says so."""
        partial, whole = self.folder / f"step-{step:09d}.partial", self.folder / f"step-{step:09d}"
        model_state, optimizer_state = get_state_dict(model, optimizer)
        try:
            with self.progress.save(step):
                dcp.save({"model": model_state, "optimizer": optimizer_state, "step": step}, checkpoint_id=str(partial))
                failure: list[str | None] = [_finished(partial, whole) if dist.get_rank() == 0 else None]
                dist.broadcast_object_list(failure, src=0)
                if failure[0] is not None:
                    raise OSError(failure[0])  # noqa: TRY301  as dcp.save does above
        except (OSError, dcp.api.CheckpointException) as error:
            _say(f"no checkpoint of step {step}: {error!s:.500}")
            if dist.get_rank() == 0:
                shutil.rmtree(partial, ignore_errors=True)
        else:
            if dist.get_rank() == 0:
                for old in list(self._whole())[self.keep :]:
                    shutil.rmtree(old, ignore_errors=True)

    def _whole(self) -> Iterator[Path]:
        """Yield checkpoints whose files all have the sizes that they were written with, the newest first."""
        for place in sorted(self.folder.glob("step-*[0-9]"), reverse=True):
            try:
                sizes = json.loads((place / _MANIFEST).read_text())
                if all((place / name).stat().st_size == size for name, size in sizes.items()):
                    yield place
                    continue
            except (OSError, ValueError):
                pass
            if place not in self._damaged:
                _say(f"{place} is not whole and is left out")
            self._damaged.add(place)


def _finished(partial: Path, whole: Path) -> str | None:
    """Write down which files a checkpoint has, bring all to the disk and give it its name; return what went wrong."""
    try:
        sizes = {file.name: file.stat().st_size for file in partial.iterdir() if file.name != _MANIFEST}
        (partial / _MANIFEST).write_text(json.dumps(sizes))
        for place in (*partial.iterdir(), partial):
            descriptor = os.open(place, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
        if whole.exists():  # half-written by somebody else, or load() would have gone on behind it
            shutil.rmtree(whole)
        partial.rename(whole)
    except OSError as error:
        return str(error)
    return None


class StopWish:
    """The wish that training ends: by a signal, the file that TRAINYARD_STOP names, or the time TRAINYARD_ENDS_AT."""

    def __init__(self) -> None:
        """Begin to listen."""
        self.file = os.environ.get("TRAINYARD_STOP")
        self.ends_at = float(os.environ.get("TRAINYARD_ENDS_AT") or "inf")
        self.is_there = False
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self._take)

    def _take(self, _number: int, _frame: object) -> None:
        self.is_there = True

    def read(self) -> bool:
        """Return whether there is one. Only one rank looks for the file."""
        if self.file and dist.get_rank() == 0 and Path(self.file).exists():
            self.is_there = True
        if time.time() >= self.ends_at:
            self.is_there = True
        return self.is_there


def _prepared(shape: argparse.Namespace, device: Any) -> tuple[nn.Module, int]:
    """Return the model, divided among the ranks or copied to each, and how many parameters it has."""
    torch.manual_seed(_SEED)
    model = Transformer(shape).to(device)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    if shape.strategy == "ddp":
        return DistributedDataParallel(model), parameters
    mixed = {"mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)} if device.type == "cuda" else {}
    mesh = dist.device_mesh.init_device_mesh(device.type, (dist.get_world_size(),))
    for block in model.blocks:
        fully_shard(block, mesh=mesh, **mixed)
    fully_shard(model, mesh=mesh, **mixed)
    return model, parameters


def _train(shape: argparse.Namespace, device: Any, progress: Progress) -> str:
    """Train and return why it has ended."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    sequences = shape.global_batch or 8 * ranks
    if sequences % ranks:
        raise SystemExit(f"--global-batch {sequences} is not a multiple of the {ranks} ranks")
    model, parameters = _prepared(shape, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=shape.rate, betas=(0.9, 0.95))
    checkpoints, stop = Checkpoints(shape.checkpoints, shape.keep, progress), StopWish()
    begin = checkpoints.load(model, optimizer)
    tokens = sequences // ranks * shape.context
    flops, saved_at, saved_step = tokens * flops_per_token(parameters, shape), time.monotonic(), begin
    _say(f"{parameters:,} parameters by {shape.strategy} on {ranks} ranks of {device.type}, from step {begin}")
    for step in range(begin, shape.steps):
        step_begin = time.monotonic()
        optimizer.param_groups[0]["lr"] = shape.rate * min(1.0, (step + 1) / 10)
        batch = batch_of(step, shape, rank, ranks, sequences).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = model(batch[:, :-1])
        loss = cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(max(0.0, shape.least_step_s - (time.monotonic() - step_begin)))
        due = bool(shape.interval_s) and time.monotonic() - saved_at >= shape.interval_s
        # One exchange a step: the mean loss, and what any rank wants, which all have to agree on.
        told = torch.tensor([loss.item() / ranks, float(stop.read()), float(due)], device=device)
        dist.all_reduce(told)
        mean_loss, wants_stop, is_due = told.tolist()
        progress.step(step, time.monotonic() - step_begin, mean_loss, tokens, flops)
        if wants_stop or is_due or (shape.interval_steps and (step + 1) % shape.interval_steps == 0):
            checkpoints.save(model, optimizer, step + 1)
            saved_at, saved_step = time.monotonic(), step + 1
        if wants_stop:
            return "signal"
    if saved_step < shape.steps:
        checkpoints.save(model, optimizer, shape.steps)
    return "done"


def _say(words: str) -> None:
    if dist.get_rank() == 0:
        print(f"transformer: {words}", flush=True)


def main() -> None:
    """Train until the last step, or until somebody wishes an end."""
    shape = _arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        device = torch.device("cuda", torch.cuda.current_device())
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=shape.timeout_s))
    progress = Progress()
    try:
        reason = _train(shape, device, progress)
    except BaseException:
        progress.end("error")
        raise
    progress.end(reason)
    _say("stopped as was asked, with a checkpoint" if reason == "signal" else f"all {shape.steps} steps are done")
    dist.barrier()  # who leaves first would look like a failure to the others
    if backend == "gloo":
        # Every few ends of FSDP2 by gloo abort when its threads are taken apart: "terminate called without an active
        # exception", torch 2.13. All is written by now.
        sys.stdout.flush()
        progress.flush()
        os._exit(0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

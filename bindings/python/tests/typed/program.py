# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program with types looks like: mypy --strict takes it. Not run."""

from __future__ import annotations

import ctypes
from pathlib import Path

import sartor
from sartor import Configuration, Decision, SearchSpace, Strategy, Trial
from sartor.optuna_strategy import OptunaStrategy, tpe


class Once(Strategy):
    """Tries the middle."""

    def __init__(self, space: SearchSpace) -> None:
        super().__init__()
        self.left = [space.at([1 for _ in space.dimensions])]
        self.tried: list[Trial] = []

    def ask(self) -> Configuration | None:
        return self.left.pop() if self.left else None

    def tell(self, trial: Trial) -> None:
        self.tried.append(trial)

    def best(self) -> Decision:
        return Decision(self.tried[0].configuration) if self.tried else Decision()


def with_optuna(space: SearchSpace) -> OptunaStrategy:
    return tpe(space, most_trials=20)


def compare(library: Path) -> int:
    every = sartor.Verification(first_calls=0, every=100)
    with sartor.Runtime(library, verify=every, state_directory=library.parent, share_quarantine=True) as runtime:
        return runtime.statistics().verified + sartor.Runtime(library, verify="all").statistics().differences


def tune(library: Path, counter: ctypes.c_uint64) -> Configuration:
    with sartor.Runtime(library, event_log=library.with_suffix(".log")) as runtime:
        runtime.specialize({"rows": 8, "columns": [4, 8], "mode": sartor.unguarded("fast")})
        runtime.instrument({"rows": 1})
        counts: dict[str, int] = {name: point.count for name, point in runtime.profile().points.items()}
        inputs: list[int | float | str] = runtime.profile()["rows"].entries[0].inputs
        rate = sartor.Objective.rate_of(counter, "matrices")
        explorer = sartor.Explorer(
            runtime, rate, strategy=Once, unguarded={"rows"}, seed=3, signature=lambda: str(counts), journal="j"
        )
        for strategy in ("race", with_optuna, None):
            sartor.Explorer(runtime, rate, strategy=strategy)
        with explorer:
            explorer.start()
        decision: Decision | None = explorer.decision
        scores = explorer.trials_dataframe()["score"]
        print(scores.max(), inputs, decision)
        invariant = sartor.Invariant(counter)
        with runtime.bind("transpose", {2: 256, 3: 8.0, 4: bytes(8)}) as binding, invariant:
            address: int = binding.function
            runtime.tie("path", invariant)
        print(address)
        return explorer.explore().configuration | {"rows": 4}


def filter_packets(path: Path, socket: int) -> list[sartor.BpfVariant]:
    with sartor.BpfRuntime(path, pins="/sys/fs/bpf/filter") as handlers:
        handlers.update("peers", bytes(8), memoryview(b"12345678"))
        handlers.declare_invariant("peers", "ours")
        handlers.attach_socket("filter", socket)
        handlers.declare_invariant("peers", "nobody")  # type: ignore[arg-type]
        maps: list[sartor.BpfMap] = handlers.maps()
        best: Configuration = handlers.autotune([Configuration(), Configuration({"words": 5})], lambda: 1.0)
        print(best)
        print(maps[0].invariant_writers)
        return handlers.specialize({"words": 5})


def wrong(runtime: sartor.Runtime) -> None:
    runtime.specialize(3)  # type: ignore[arg-type]
    runtime.instrument(["rows"])  # type: ignore[arg-type]
    sartor.Explorer(runtime, lambda: 3.0)  # type: ignore[arg-type]
    sartor.Explorer(runtime, sartor.Objective.value_of(float), strategy=3)  # type: ignore[arg-type]
    sartor.Explorer(runtime, sartor.Objective.value_of(float), signature=lambda: 3)  # type: ignore[arg-type,return-value]

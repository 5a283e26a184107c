# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sartor


class Climb(sartor.Strategy):
    """Moves to a better neighbor, as long as there is one."""
    def __init__(self, space):
        super().__init__()
        self.space, self.here, self.score = space, sartor.Configuration(), float("-inf")
        self.next = [[1] * len(space.dimensions)]

    def ask(self):
        return self.space.at(self.next.pop()) if self.next else None

    def tell(self, trial):
        if not trial.failed and trial.score > self.score:
            self.here, self.score = trial.configuration, trial.score
            here, steps = self.space.coordinates_of(self.here), (-1, 1)
            near = [here[:i] + [n + s] + here[i + 1 :] for i, n in enumerate(here) for s in steps]
            self.next = [coordinates for coordinates in near if self.space.allows(coordinates)]

    def best(self):
        return sartor.Decision(self.here, sartor.Estimate(self.score, self.score, self.score, 1))

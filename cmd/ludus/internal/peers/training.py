"""Times PyTorch on a training step like that of package model: the same network without figure layers, the same loss and
clipping; AdamW for all parameters, and no moving average of the weights.

Each line of input is a request, each line of output its answer, all in JSON:

    {"network": {...}, "batch": B, "threads": N}                    {} or {"missing": PACKAGE}
    {"seconds": S}                   trains for that long           {"rows": R, "seconds": S}
"""

import json
import sys
import time

try:
    import torch
except ImportError:
    print(json.dumps({"missing": "torch"}))
    sys.exit()
from torch import nn
from torch.nn import functional as F


class Conv(nn.Module):
    """A 3x3 convolution whose scale is folded into its weight, which costs less than to scale what comes out."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs, 3, 3) * (2 / (9 * inputs)) ** 0.5)
        self.scale = nn.Parameter(torch.ones(outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return F.conv2d(x, self.weight * self.scale.view(-1, 1, 1, 1), self.bias, padding=1)


class Network(nn.Module):
    def __init__(self, planes, height, width, channels, blocks, policy_planes, policy_extras, classes, goals):
        super().__init__()
        self.stem = Conv(planes, channels)
        self.blocks = nn.ModuleList(nn.ModuleList(Conv(channels, channels) for _ in range(2)) for _ in range(blocks))
        self.policy = nn.Sequential(nn.Conv2d(channels, 32, 1), nn.ReLU(), nn.Conv2d(32, policy_planes, 1), nn.Flatten())
        self.hidden = nn.Sequential(
            nn.Conv2d(channels, 16, 1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * height * width, 64), nn.ReLU()
        )
        self.extras = nn.Linear(64, policy_extras) if policy_extras else None
        self.classes = nn.Linear(64, classes)
        self.goals = nn.Linear(64, 2) if goals else None

    def forward(self, x):
        x = F.relu(self.stem(x))
        for first, second in self.blocks:
            x = F.relu(x + second(F.relu(first(x))))
        policy, hidden = self.policy(x), self.hidden(x)
        if self.extras:
            policy = torch.cat([policy, self.extras(hidden)], 1)
        return policy, self.classes(hidden), self.goals(hidden) if self.goals else None


class Training:
    """A network, its solver and one batch of random samples."""

    def __init__(self, network, batch, threads):
        torch.manual_seed(1)
        torch.set_num_threads(threads)
        self.batch = batch
        self.network = Network(**network).to(memory_format=torch.channels_last)
        decaying = [p for p in self.network.parameters() if p.dim() > 1]
        others = [p for p in self.network.parameters() if p.dim() == 1]
        groups = [{"params": decaying, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}]
        self.solver = torch.optim.AdamW(groups, lr=1e-3, foreach=True)

        inputs = torch.randint(0, 2, (batch, network["planes"], network["height"], network["width"])).float()
        self.inputs = inputs.to(memory_format=torch.channels_last)
        with torch.no_grad():
            policy, classes, _ = self.network(self.inputs)
        self.illegal = torch.rand_like(policy) < 0.5
        self.illegal[:, 0] = False
        target = torch.rand_like(policy).masked_fill(self.illegal, 0)
        self.policy = target / target.sum(1, keepdim=True)
        self.classes = torch.softmax(torch.randn_like(classes), 1)
        self.goals = torch.rand(batch, 2)

    def step(self):
        self.solver.zero_grad(set_to_none=True)
        policy, classes, goals = self.network(self.inputs)
        loss = F.cross_entropy(policy.masked_fill(self.illegal, -1e9), self.policy) + F.cross_entropy(classes, self.classes)
        if goals is not None:
            loss = loss + 0.1 * (goals - self.goals).square().sum(1).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1)
        self.solver.step()

    def measure(self, seconds):
        rows, passed, start = 0, 0, time.perf_counter()
        while passed < seconds:
            self.step()
            rows += self.batch
            passed = time.perf_counter() - start
        return {"rows": rows, "seconds": passed}


training = Training(**json.loads(sys.stdin.readline()))
print("{}", flush=True)
for line in sys.stdin:
    print(json.dumps(training.measure(**json.loads(line))), flush=True)

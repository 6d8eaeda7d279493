"""Picks moves in Quad, Connect Four, Gomoku and Tic-tac-toe, on boards of any size, with a model written by "ludus
export RUN --format onnx". Everything it needs is in the model's metadata; docs/ONNX.md explains them.

    pip install onnxruntime numpy
    echo "d1; c1; d2" | python3 pick.py connect-four.onnx

A line of input has the moves from the start to an unfinished position, as people write them; an empty line is the
start. A line of output has the move to play, a tab, and the expected utility of the player to move, from -1 to 1.
Another game is another class of rules: what a move does, what is legal, what the planes contain.
"""
import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
about = {}  # the model's metadata
for key, text in session.get_modelmeta().custom_metadata_map.items():
    about[key] = json.loads(text)
if about.get("family") not in ("line-up", "quad") or about["metadata_version"] > 2:
    sys.exit(f"this example has no rules of {about.get('game', sys.argv[1])}, or does not know its metadata")
players, moves, parameters = about["players"], about["moves"], about["parameters"]
rows, columns = len(about["board"]["rows"]), len(about["board"]["columns"])
cells = np.array(about["board"]["cells"])  # by cell: 1 where the board has it
inputs = {}
if "figures" in about:  # the model takes them, too, and so plays boards of any size
    inputs["figures"] = np.zeros((len(cells), len(about["figures"])), np.float32)
    for column, figure in zip(inputs["figures"].T, about["figures"]):
        column[figure] = 1


class Game:
    """A position: whose pieces stand where, and who moves."""

    def __init__(self):
        self.pieces = np.zeros_like(cells)  # by cell: 1 is the first player's, 2 the second's
        self.mover = 0  # index of the player to move

    def play(self, action):
        self.pieces[action] = 1 + self.mover
        self.mover = 1 - self.mover

    def planes(self):  # by cell; a number stands for a whole plane of it
        return {
            "board": cells,
            "own pieces": self.pieces == 1 + self.mover,
            "other's pieces": self.pieces == 2 - self.mover,
            f"mover is {players[0]}": self.mover == 0,
        }


class LineUp(Game):
    """Connect Four, Gomoku, Tic-tac-toe: a line of pieces wins. With gravity pieces drop to the lowest empty cell."""

    def legal(self):  # action i takes cell i
        empty = self.pieces == 0
        if parameters["gravity"] == "1":
            empty[columns:] &= self.pieces[:-columns] != 0  # cells above others need a piece below
        return np.flatnonzero(empty)

    def planes(self):
        free = np.zeros_like(cells)
        free[self.legal()] = 1
        return {**super().planes(), "next free cells": free}


class Quad(Game):
    """Action i marks cell i, or for i from the number of cells on, blocks cell i - cells with a white piece (3)."""

    def __init__(self):
        super().__init__()
        self.quads, self.whites = int(parameters["quads"]), int(parameters["whites"])
        self.blocks = [0, 0]  # whites that both players have used

    def play(self, action):
        if action < len(cells):
            super().play(action)
        else:  # who blocks moves again
            self.pieces[action - len(cells)] = 3
            self.blocks[self.mover] += 1

    def legal(self):
        empty = np.flatnonzero((self.pieces == 0) & (cells == 1))
        return np.append(empty, len(cells) + empty) if self.blocks[self.mover] < self.whites else empty

    def planes(self):
        return {
            **super().planes(),
            "own quads left": 1 - np.sum(self.pieces == 1 + self.mover) / self.quads,
            "other's quads left": 1 - np.sum(self.pieces == 2 - self.mover) / self.quads,
            "white pieces": self.pieces == 3,
            "own whites left": 1 - self.blocks[self.mover] / max(self.whites, 1),
            "other's whites left": 1 - self.blocks[1 - self.mover] / max(self.whites, 1),
        }


def pick(rules, played):
    game = rules()
    for move in played:
        if move not in moves:
            sys.exit(f"{about['game']} has no move {move!r}; its moves are written like {moves[0]}, with ; between them")
        game.play(moves.index(move))
    frame = about["frames"][players[game.mover]]  # where the mover sees cells and actions
    planes = game.planes()
    tensor = np.zeros((1, len(about["planes"]), rows * columns), np.float32)
    for plane, text in zip(tensor[0], about["planes"]):
        plane[frame["cells"]] = planes[text.split(":")[0]]
    policy, value = session.run(["policy", "value"], {**inputs, "tensor": tensor.reshape(1, -1, rows, columns)})
    logits = policy[0, frame["policy"]]  # by action
    return moves[max(game.legal(), key=lambda action: logits[action])], value[0]


rules = {"line-up": LineUp, "quad": Quad}[about["family"]]
for line in sys.stdin:
    move, value = pick(rules, [move.strip() for move in line.split(";") if move.strip()])
    print(f"{move}\t{value:.4f}", flush=True)

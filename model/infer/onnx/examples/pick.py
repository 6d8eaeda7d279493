"""Picks moves in Quad, of any size, with a model written by "ludus export RUN --format onnx". Everything it needs
is in the model's metadata; the documentation of ludus/model/infer/onnx lists them.

    pip install onnxruntime numpy
    echo "(mark r3 c3); (mark r2 c2)" | python3 pick.py quad-5x5.onnx

A line of input has the moves from the start to an unfinished position; an empty line is the start. A line of
output has the move to play, a tab, and the expected utility of the player to move, from -1 to 1.
Other games differ in three places, marked below: what a move does, what the planes contain, what is legal.
"""
import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
about = session.get_modelmeta().custom_metadata_map
version, game, family = (json.loads(about[key]) for key in ("metadata_version", "game", "family"))
if version > 1 or family != "quad":
    sys.exit(f"this example plays Quad, by metadata of version 1; the model is for {game}")
players, parameters, actions, frames = (json.loads(about[key]) for key in ("players", "parameters", "actions", "frames"))
names = [text.split(":")[0] for text in json.loads(about["planes"])]
verbs = json.loads(about["policy_planes"])
board = json.loads(about["board"])
cells = np.array(board["cells"])
quads, whites = int(parameters["quads"]), int(parameters["whites"])


def pick(moves):
    pieces = np.zeros_like(cells)  # by cell: 1 is x's, 2 is o's, 3 a white one
    blocks = [0, 0]  # whites that x and o have used
    mover = 0  # index of the player to move
    for move in moves:  # what a move does
        verb, cell = divmod(actions.index(move), len(cells))
        if verbs[verb] == "mark":
            pieces[cell] = 1 + mover
            mover = 1 - mover
        else:  # who blocks moves again
            pieces[cell] = 3
            blocks[mover] += 1

    own, other = 1 + mover, 2 - mover
    planes = {  # what the planes contain, by cell; a number stands for a whole plane of it
        "board": cells,
        "own pieces": pieces == own,
        "other's pieces": pieces == other,
        "mover is x": mover == 0,
        "own quads left": 1 - np.sum(pieces == own) / quads,
        "other's quads left": 1 - np.sum(pieces == other) / quads,
        "white pieces": pieces == 3,
        "own whites left": 1 - blocks[mover] / max(whites, 1),
        "other's whites left": 1 - blocks[1 - mover] / max(whites, 1),
    }
    frame = frames[players[mover]]  # where the mover sees cells and actions
    tensor = np.zeros((1, len(names), len(cells)), np.float32)
    for plane, name in zip(tensor[0], names):
        plane[frame["cells"]] = planes[name]
    tensor = tensor.reshape(1, len(names), len(board["rows"]), len(board["columns"]))

    policy, value = session.run(["policy", "value"], {"tensor": tensor})
    logits = policy[0, frame["policy"]]  # by action
    legal = [  # what is legal: to mark an empty cell or, with a white left, to block it
        action
        for action, text in enumerate(actions)
        if text and not pieces[action % len(cells)] and (action < len(cells) or blocks[mover] < whites)
    ]
    return actions[max(legal, key=lambda action: logits[action])], value[0]


for line in sys.stdin:
    move, value = pick([move.strip() for move in line.split(";") if move.strip()])
    print(f"{move}\t{value:.4f}", flush=True)

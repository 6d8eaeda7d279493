"""Picks moves in Quad, of any size, by a model that "ludus export RUN --format onnx" wrote, and nothing else:
what has to be known stands in the model's metadata, which the documentation of ludus/model/infer/onnx lists.

    pip install onnxruntime numpy
    echo "(mark r3 c3); (mark r2 c2)" | python3 pick.py quad-5x5.onnx

A line of input holds the moves from the start to an unfinished position, an empty one none. A line of output
holds the move to play in it, a tab, and the utility that the player to move may expect, from -1 to 1.
Other games differ in three places, marked below: what a move does, what the planes hold, what is legal.
"""
import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
about = {key: json.loads(value) for key, value in session.get_modelmeta().custom_metadata_map.items()}
if about["metadata_version"] > 1 or about["family"] != "quad":
    sys.exit(f"this example plays Quad, by metadata of version 1; the model is for {about['game']}")
quads, whites = (int(about["parameters"][name]) for name in ("quads", "whites"))
board = np.array(about["board"]["cells"])


def pick(moves):
    pieces = np.zeros_like(board)  # by cell: 1 is x's, 2 is o's, 3 a white one
    blocks = [0, 0]  # whites that x and o have used
    mover = 0  # index of the player to move
    for move in moves:  # what a move does
        plane, cell = divmod(about["actions"].index(move), len(board))
        if about["policy_planes"][plane] == "mark":
            pieces[cell] = 1 + mover
            mover = 1 - mover
        else:  # who blocks moves again
            pieces[cell] = 3
            blocks[mover] += 1

    own, other = 1 + mover, 2 - mover
    planes = {  # what the planes hold; a number stands for a whole plane of it
        "board": board,
        "own pieces": pieces == own,
        "other's pieces": pieces == other,
        "mover is x": mover == 0,
        "own quads left": 1 - np.sum(pieces == own) / quads,
        "other's quads left": 1 - np.sum(pieces == other) / quads,
        "white pieces": pieces == 3,
        "own whites left": 1 - blocks[mover] / max(whites, 1),
        "other's whites left": 1 - blocks[1 - mover] / max(whites, 1),
    }
    frame = about["frames"][about["players"][mover]]
    tensor = np.zeros((len(about["planes"]), len(board)), np.float32)
    for plane, text in zip(tensor, about["planes"]):
        plane[frame["cells"]] = planes[text.split(":")[0]]

    shape = 1, len(tensor), len(about["board"]["rows"]), len(about["board"]["columns"])
    policy, value = session.run(["policy", "value"], {"tensor": tensor.reshape(shape)})
    logits = policy[0, frame["policy"]]  # by action
    legal = [  # what is legal: to mark an empty cell or, with a white left, to block it
        action
        for action, text in enumerate(about["actions"])
        if text and pieces[action % len(board)] == 0 and (action < len(board) or blocks[mover] < whites)
    ]
    return about["actions"][max(legal, key=lambda action: logits[action])], value[0]


for line in sys.stdin:
    move, value = pick([move.strip() for move in line.split(";") if move.strip()])
    print(f"{move}\t{value:+.4f}", flush=True)

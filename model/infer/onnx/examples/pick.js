// Picks moves in Quad, of any size, with a model written by "ludus export RUN --format onnx". Everything it needs is in the
// model's metadata; the documentation of ludus/model/infer/onnx lists them.
//
//     npm install onnxruntime-node
//     echo "(mark r3 c3); (mark r2 c2)" | node pick.js quad-5x5.onnx
//
// A line of input has the moves from the start to an unfinished position; an empty line is the start. A line of output has
// the move to play, a tab, and the expected utility of the player to move, from -1 to 1.
// Other games differ in three places, marked below: what a move does, what the planes contain, what is legal.
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const ort = require("onnxruntime-node");

// fields yields number and bytes (null of a plain number) of each field of a protobuf message.
function* fields(message) {
  let at = 0;
  const varint = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      value += (message[at] & 127) * scale;
      if (message[at++] < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint(); // the number itself, or how many bytes follow
    yield [tag >> 3, tag % 8 === 2 ? message.subarray(at, (at += value)) : null];
  }
}

// ONNX Runtime does not show a model's metadata to JavaScript. They are its fields 14: entries of a key, 1, and a value, 2.
const model = readFileSync(process.argv[2]);
const entries = [...fields(model)].filter(([number]) => number === 14).map(([, entry]) => new Map(fields(entry)));
const metadata = new Map(entries.map((entry) => [entry.get(1).toString(), entry.get(2).toString()]));
const about = (key) => JSON.parse(metadata.get(key));

if (about("metadata_version") > 1 || about("family") !== "quad") {
  console.error(`this example plays Quad, by metadata of version 1; the model is for ${about("game")}`);
  process.exit(1);
}
const [players, actions, frames, verbs] = ["players", "actions", "frames", "policy_planes"].map(about);
const names = about("planes").map((text) => text.split(":")[0]);
const { rows, columns, cells } = about("board");
const { quads, whites } = about("parameters"); // texts, which a division reads as numbers

async function pick(session, moves) {
  const pieces = cells.map(() => 0); // by cell: 1 is x's, 2 is o's, 3 a white one
  const blocks = [0, 0]; // whites that x and o have used
  let mover = 0; // index of the player to move
  for (const move of moves) { // what a move does
    const action = actions.indexOf(move);
    if (action < 0) throw new Error(`no such move: ${move}`);
    const cell = action % cells.length;
    if (verbs[(action - cell) / cells.length] === "mark") {
      pieces[cell] = 1 + mover;
      mover = 1 - mover;
    } else { // who blocks moves again
      pieces[cell] = 3;
      blocks[mover]++;
    }
  }

  const [own, other] = [1 + mover, 2 - mover];
  const count = (piece) => pieces.filter((p) => p === piece).length;
  const planes = { // what the planes contain, by cell
    "board": (cell) => cells[cell],
    "own pieces": (cell) => pieces[cell] === own,
    "other's pieces": (cell) => pieces[cell] === other,
    "mover is x": () => mover === 0,
    "own quads left": () => 1 - count(own) / quads,
    "other's quads left": () => 1 - count(other) / quads,
    "white pieces": (cell) => pieces[cell] === 3,
    "own whites left": () => 1 - blocks[mover] / whites,
    "other's whites left": () => 1 - blocks[1 - mover] / whites,
  };
  const frame = frames[players[mover]]; // where the mover sees cells and actions
  const tensor = new Float32Array(names.length * cells.length);
  names.forEach((name, plane) => {
    frame.cells.forEach((entry, cell) => (tensor[plane * cells.length + entry] = planes[name](cell)));
  });

  const shape = [1, names.length, rows.length, columns.length];
  const { policy, value } = await session.run({ tensor: new ort.Tensor("float32", tensor, shape) });
  const logit = (action) => policy.data[frame.policy[action]];
  const isLegal = (action) => // what is legal: to mark an empty cell or, with a white left, to block it
    actions[action] && !pieces[action % cells.length] && (action < cells.length || blocks[mover] < whites);
  const best = [...actions.keys()].filter(isLegal).reduce((best, action) => (logit(action) > logit(best) ? action : best));
  return `${actions[best]}\t${value.data[0].toFixed(4)}`;
}

async function main() {
  const session = await ort.InferenceSession.create(model);
  for await (const line of createInterface({ input: process.stdin })) {
    const moves = line.split(";").map((move) => move.trim()).filter(Boolean);
    console.log(await pick(session, moves));
  }
}

main();

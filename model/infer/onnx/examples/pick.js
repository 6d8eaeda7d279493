// Picks moves in Quad, of any size, by a model that "ludus export RUN --format onnx" wrote, and nothing else: what has to
// be known stands in the model's metadata, which the documentation of ludus/model/infer/onnx lists.
//
//     npm install onnxruntime-node
//     echo "(mark r3 c3); (mark r2 c2)" | node pick.js quad-5x5.onnx
//
// A line of input holds the moves from the start to an unfinished position, an empty one none. A line of output holds the
// move to play in it, a tab, and the utility that the player to move may expect, from -1 to 1.
// Other games differ in three places, marked below: what a move does, what the planes hold, what is legal.
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

// metadata reads metadata_props, field 14 of a model, which ONNX Runtime does not show to JavaScript: entries of a key
// (field 1) and a value (field 2).
function metadata(model) {
  const entries = [...fields(model)].filter(([number]) => number === 14).map(([, entry]) => new Map(fields(entry)));
  return Object.fromEntries(entries.map((entry) => [entry.get(1).toString(), JSON.parse(entry.get(2).toString())]));
}

async function pick(session, about, moves) {
  const board = about.board.cells;
  const [quads, whites] = [about.parameters.quads, about.parameters.whites].map(Number);
  const pieces = board.map(() => 0); // by cell: 1 is x's, 2 is o's, 3 a white one
  const blocks = [0, 0]; // whites that x and o have used
  let mover = 0; // index of the player to move
  for (const move of moves) { // what a move does
    const action = about.actions.indexOf(move);
    if (action < 0) throw new Error(`${about.game} has no move ${move}`);
    const cell = action % board.length;
    if (about.policy_planes[(action - cell) / board.length] === "mark") {
      pieces[cell] = 1 + mover;
      mover = 1 - mover;
    } else { // who blocks moves again
      pieces[cell] = 3;
      blocks[mover]++;
    }
  }

  const [own, other] = [1 + mover, 2 - mover];
  const used = (piece) => pieces.filter((p) => p === piece).length;
  const planes = { // what the planes hold, by cell
    "board": (cell) => board[cell],
    "own pieces": (cell) => pieces[cell] === own,
    "other's pieces": (cell) => pieces[cell] === other,
    "mover is x": () => mover === 0,
    "own quads left": () => 1 - used(own) / quads,
    "other's quads left": () => 1 - used(other) / quads,
    "white pieces": (cell) => pieces[cell] === 3,
    "own whites left": () => 1 - blocks[mover] / whites,
    "other's whites left": () => 1 - blocks[1 - mover] / whites,
  };
  const frame = about.frames[about.players[mover]];
  const shape = [1, about.planes.length, about.board.rows.length, about.board.columns.length];
  const tensor = new Float32Array(about.planes.length * board.length);
  about.planes.forEach((text, i) => {
    const value = planes[text.split(":")[0]];
    frame.cells.forEach((entry, cell) => (tensor[i * board.length + entry] = value(cell)));
  });

  const { policy, value } = await session.run({ tensor: new ort.Tensor("float32", tensor, shape) });
  const logit = (action) => policy.data[frame.policy[action]];
  const legal = [...about.actions.keys()].filter( // what is legal: to mark an empty cell or, with a white left, to block it
    (a) => about.actions[a] && pieces[a % board.length] === 0 && (a < board.length || blocks[mover] < whites),
  );
  const best = legal.reduce((best, action) => (logit(action) > logit(best) ? action : best));
  return `${about.actions[best]}\t${value.data[0].toFixed(4)}`;
}

async function main(path) {
  const model = readFileSync(path);
  const about = metadata(model);
  if (about.metadata_version > 1 || about.family !== "quad") {
    throw new Error(`this example plays Quad, by metadata of version 1; the model is for ${about.game}`);
  }
  const session = await ort.InferenceSession.create(model);
  for await (const line of createInterface({ input: process.stdin })) {
    const moves = line.split(";").map((move) => move.trim()).filter((move) => move);
    console.log(await pick(session, about, moves));
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

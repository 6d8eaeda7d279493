// Runs the engine of exported pages: node engine.js WASM_EXEC ENGINE WEIGHTS, with lines [OP, REQUEST] on stdin and a line of
// the engine's answer for each on stdout.
"use strict";
const { readFileSync, writeSync } = require("fs");
const { resolve } = require("path");

const [glue, program, weights] = process.argv.slice(2);
globalThis.require = require;
require(resolve(glue));
globalThis.weights = new Uint8Array(readFileSync(weights));
const go = new Go();
WebAssembly.instantiate(readFileSync(program), go.importObject).then(({ instance }) => {
  go.run(instance);
  for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const [op, request] = JSON.parse(line);
    writeSync(1, answer(op, JSON.stringify(request)) + "\n");
  }
  process.exit(0);
});

// Runs the engine of exported pages: node engine.js WASM_EXEC ENGINE, with lines [OP, REQUEST] on stdin and a line of the
// engine's answer for each on stdout. The line ["weights", FILE] starts an engine with the weights of a file.
"use strict";
const { readFileSync, writeSync } = require("fs");
const { resolve } = require("path");

const [glue, program] = process.argv.slice(2);
globalThis.require = require;
require(resolve(glue));

async function main() {
  const module = await WebAssembly.compile(readFileSync(program));
  for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const [op, request] = JSON.parse(line);
    if (op === "weights") {
      globalThis.weights = new Uint8Array(readFileSync(request));
      const go = new Go();
      go.run(await WebAssembly.instantiate(module, go.importObject));
    } else {
      writeSync(1, answer(op, JSON.stringify(request)) + "\n");
    }
  }
  process.exit(0);
}

main();

// The worker's script, after Go's wasm_exec.js. The first message brings the compiled engine, the weights, the opening book if there is one, and the strength dial. Every other message is a
// request {id, op, request}; the reply is {id, reply} or {id, error}.

let resolveReady;
const ready = new Promise((resolve) => { resolveReady = resolve; });

onmessage = async ({ data }) => {
  if (data.module) {
    resolveReady(start(data));
    return;
  }
  const { id, op, request } = data;
  try {
    await ready;
    postMessage({ id, ...JSON.parse(answer(op, JSON.stringify(request))) });
  } catch (error) {
    postMessage({ id, error: `The engine has stopped: ${error.message}`, stopped: true });
  }
};

// start runs the engine, which defines the global function answer.
async function start({ module, weights, book, dial }) {
  const go = new Go();
  globalThis.dial = dial;
  globalThis.weights = weights;
  globalThis.book = book;
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance); // until the worker ends
}

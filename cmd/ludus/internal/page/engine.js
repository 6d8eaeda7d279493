// What runs in the worker, after Go's wasm_exec.js: one message brings the engine's compiled module and the weights, every
// other one a request {id, op, request}, answered by {id, reply} or {id, error}.

let begin;
const begun = new Promise((resolve) => { begin = resolve; });

onmessage = async ({ data }) => {
  if (data.module) {
    begin(start(data));
    return;
  }
  const { id, op, request } = data;
  try {
    await begun;
    postMessage({ id, ...JSON.parse(answer(op, JSON.stringify(request))) });
  } catch (error) {
    postMessage({ id, error: `The engine has stopped: ${error.message}`, stopped: true });
  }
};

// start ends when the engine's function answer is there.
async function start({ module, weights }) {
  const go = new Go();
  globalThis.weights = weights;
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance); // until the worker ends
}

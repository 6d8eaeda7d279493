// The engine of an exported page: a worker that holds the games and the network.

// bytesOf returns the bytes in a block of the page, which are encoded in base64.
function bytesOf(block) {
  return Uint8Array.from(atob(block.textContent), (character) => character.charCodeAt(0));
}

// decodeEngine returns the page's engine, which is compressed with Zstandard.
async function decodeEngine(block) {
  return fzstd.decompress(bytesOf(block));
}

// unzip returns what a block holds, which is compressed with gzip.
async function unzip(block) {
  const packed = new Blob([bytesOf(block)]).stream();
  return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

// loadEngine returns a function that starts a worker with the engine. It takes the page's blocks of the worker's script, the
// WebAssembly engine, the weights and the opening book, if there is one, and the strength dial as JSON text.
export function loadEngine(program, engine, weights, book, dial) {
  const address = URL.createObjectURL(new Blob([program.textContent], { type: "text/javascript" }));
  const loaded = Promise.all([
    decodeEngine(engine).then((bytes) => WebAssembly.compile(bytes)),
    unzip(weights),
    book && unzip(book),
  ]);
  return () => {
    const worker = new Worker(address);
    loaded.then(([module, weights, book]) => worker.postMessage({ module, weights, book, dial }), (error) => worker.dispatchEvent(new ErrorEvent("error", { message: error.message })));
    return worker;
  };
}

// engineOverWorker returns the engine in a worker: functions describe, position, choose, analyze, dial, book, load and save, each of which takes a request
// and an optional AbortSignal. The worker handles one request at a time. It cannot be interrupted: to abort its current request, it
// is replaced by a new one.
export function engineOverWorker(start) {
  let worker, next = 0;
  const queue = []; // the first request is at the worker

  function begin() {
    worker = start();
    worker.onmessage = ({ data }) => {
      if (data.id !== queue[0]?.message.id) return;
      const { resolve, reject } = queue.shift();
      if (data.stopped) end();
      if (data.error === undefined) resolve(data.reply);
      else reject(new Error(data.error));
      send();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      const reason = event.message || "a worker is not allowed here"; // by a Content-Security-Policy
      for (const { reject } of queue.splice(0)) reject(new Error(`The engine cannot start: ${reason}`));
    };
  }

  function end() {
    worker?.terminate();
    worker = undefined;
  }

  function send() {
    if (!worker) begin();
    if (queue.length > 0) worker.postMessage(queue[0].message);
  }

  function abort(id) {
    const place = queue.findIndex(({ message }) => message.id === id);
    if (place < 0) return;
    queue.splice(place, 1);
    if (place > 0) return;
    end();
    send(); // starts the next worker
  }

  const call = (op) => (request, signal) => new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const message = { id: next++, op, request };
    signal?.addEventListener("abort", () => {
      abort(message.id);
      reject(signal.reason);
    }, { once: true });
    queue.push({ message, resolve, reject });
    if (queue.length === 1) send();
  });

  begin();
  return { describe: call("describe"), position: call("position"), choose: call("choose"), analyze: call("analyze"), dial: call("dial"), book: call("book"), load: call("load"), save: call("save") };
}

// The engine of an exported page: a worker that holds the games and the network.

// bytesOf reads the export's text, seven bits a character.
function bytesOf(text) {
  const bytes = new Uint8Array(Math.floor(text.length * 7 / 8));
  let held = 0, bits = 0, count = 0;
  for (let i = 0; i < text.length; i++) {
    held = held << 7 | text.charCodeAt(i) & 127;
    bits += 7;
    if (bits >= 8) {
      bits -= 8;
      bytes[count++] = held >> bits; // its lowest eight bits
    }
  }
  return bytes;
}

// unpacked is what a block of the page holds: bytes that gzip has compressed, as text.
function unpacked(block) {
  const packed = new Blob([bytesOf(block.textContent)]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
}

// gathered undoes the export's sorting, which puts the first bytes of all numbers before all second ones and so on.
function gathered(sorted) {
  const bytes = new Uint8Array(sorted.length), count = sorted.length / 4;
  for (let i = 0, from = 0; i < 4; i++) {
    for (let to = i; from < (i + 1) * count; to += 4) bytes[to] = sorted[from++];
  }
  return bytes;
}

// loadEngine returns a function that starts a worker with the engine, given the page's blocks of the program that the worker
// runs, of the engine and of the weights.
export function loadEngine(program, engine, weights) {
  const address = URL.createObjectURL(new Blob([program.textContent], { type: "text/javascript" }));
  const loaded = Promise.all([
    WebAssembly.compileStreaming(unpacked(engine)),
    unpacked(weights).arrayBuffer().then((buffer) => gathered(new Uint8Array(buffer))),
  ]);
  return () => {
    const worker = new Worker(address);
    loaded.then(([module, weights]) => worker.postMessage({ module, weights }), (error) => worker.dispatchEvent(new ErrorEvent("error", { message: error.message })));
    return worker;
  };
}

// engineOverWorker answers describe, position, choose and analyze by a worker, one request after the other. A worker cannot be
// interrupted: where a request that it works on is given up, another takes its place.
export function engineOverWorker(start) {
  let worker, next = 0;
  const waiting = []; // the first is being answered

  function begin() {
    worker = start();
    worker.onmessage = ({ data }) => {
      if (data.id !== waiting[0]?.message.id) return;
      const { resolve, reject } = waiting.shift();
      if (data.stopped) end();
      if (data.error === undefined) resolve(data.reply);
      else reject(new Error(data.error));
      send();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      const reason = event.message || "a worker is not allowed here"; // by a server's policy
      for (const { reject } of waiting.splice(0)) reject(new Error(`The engine cannot start: ${reason}`));
    };
  }

  function end() {
    worker?.terminate();
    worker = undefined;
  }

  function send() {
    if (!worker) begin();
    if (waiting.length > 0) worker.postMessage(waiting[0].message);
  }

  function giveUp(id) {
    const place = waiting.findIndex(({ message }) => message.id === id);
    if (place < 0) return;
    waiting.splice(place, 1);
    if (place > 0) return;
    end();
    send(); // or the next worker gets ready meanwhile
  }

  const ask = (op) => (request, signal) => new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const message = { id: next++, op, request };
    signal?.addEventListener("abort", () => {
      giveUp(message.id);
      reject(signal.reason);
    }, { once: true });
    waiting.push({ message, resolve, reject });
    if (waiting.length === 1) send();
  });

  begin();
  return { describe: ask("describe"), position: ask("position"), choose: ask("choose"), analyze: ask("analyze") };
}
